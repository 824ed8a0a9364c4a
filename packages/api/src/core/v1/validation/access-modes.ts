import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";

const supported: readonly string[] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce"];
const onePod = "ReadWriteOncePod";

/** Known access modes; the one that grants a single pod exclusive use stands alone. */
export function validateAccessModes(modes: readonly string[], path: FieldPath, errors: FieldError[]): void {
  for (const mode of modes) {
    if (mode !== onePod && !supported.includes(mode)) {
      errors.push(field.notSupported(path, mode, supported));
    }
  }
  if (modes.includes(onePod) && modes.some((mode) => mode !== onePod)) {
    errors.push(field.forbidden(path, "may not use ReadWriteOncePod with other access modes"));
  }
}
