import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import type { ValidationContext } from "./context.ts";

const supported: readonly string[] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"];
const onePod = "ReadWriteOncePod";

/**
 * Validates access modes. ReadWriteOncePod (KEP-2485) excludes all others; without its gate it stays valid where it is
 * stored already.
 */
export function validateAccessModes(
  modes: readonly string[],
  old: readonly string[] | undefined,
  path: FieldPath,
  ctx: ValidationContext,
  errors: FieldError[],
): void {
  const onePodAllowed = (): boolean => ctx.featureEnabled("ReadWriteOncePod") || (old?.includes(onePod) ?? false);
  for (const mode of modes) {
    const known = mode === onePod ? onePodAllowed() : supported.includes(mode);
    if (!known) {
      errors.push(field.notSupported(path, mode, supported));
    }
  }
  if (modes.includes(onePod) && modes.some((mode) => mode !== onePod)) {
    errors.push(field.forbidden(path, "may not use ReadWriteOncePod with other access modes"));
  }
}
