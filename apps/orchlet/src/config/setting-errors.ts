import { quantityOf } from "@orchernetes/apimachinery";
import { metricFlags } from "@orchernetes/component";
import { grpcTarget } from "@orchernetes/cri";
import { wrongKernelSettings } from "@orchernetes/host";
import { sysctlPatternError } from "../admission/sysctls.ts";
import { thresholdErrors } from "../eviction/threshold-errors.ts";
import { swapDevices } from "../node/machine-info.ts";

/**
 * Errors that the schema of the configuration does not detect: in strings with a syntax of their own, and settings that this
 * machine does not meet. Each begins with `field`.
 *
 * @param value the value given for a field, by dotted path, unchecked
 * @param swaps devices that the machine swaps to
 * @param wrongSettings kernel settings that differ from what the agent needs
 */
export function settingErrors(
  value: (field: string) => unknown,
  swaps: readonly string[] = swapDevices(),
  wrongSettings: typeof wrongKernelSettings = wrongKernelSettings,
): readonly string[] {
  const errors: string[] = [];
  const texts = (field: string): readonly (readonly [path: string, text: string])[] => {
    const given = value(field);
    const entries = isObject(given)
      ? Object.entries(given).map(([key, text]) => [`${field}.${key}`, text])
      : [[field, given]];
    return entries.flatMap(([path, text]) => (typeof text === "string" ? [[String(path), text] as const] : []));
  };
  const check = (path: string, text: string, want: string, works: () => unknown) => {
    try {
      works();
    } catch {
      errors.push(`field ${path}: invalid value ${JSON.stringify(text)}; want ${want}`);
    }
  };
  for (const [path, text] of texts("containerLogMaxSize"))
    check(path, text, "a quantity such as 500m or 1Gi", () => quantityOf(text));
  const map = (field: string) =>
    Object.fromEntries(texts(field).map(([path, text]) => [path.slice(field.length + 1), text]));
  errors.push(
    ...thresholdErrors({
      evictionHard: map("evictionHard"),
      evictionSoft: map("evictionSoft"),
      evictionSoftGracePeriod: map("evictionSoftGracePeriod"),
      evictionMinimumReclaim: map("evictionMinimumReclaim"),
      systemReserved: map("systemReserved"),
      orchReserved: map("orchReserved"),
    }),
  );
  const allowed = value("allowedUnsafeSysctls");
  for (const entry of Array.isArray(allowed) ? allowed : []) {
    const error = typeof entry === "string" ? sysctlPatternError(entry) : undefined;
    if (error !== undefined) errors.push(`field allowedUnsafeSysctls: ${error}`);
  }
  for (const field of ["containerRuntimeEndpoint", "imageServiceEndpoint"])
    for (const [path, text] of texts(field))
      if (text !== "")
        check(path, text, "a unix socket such as unix:///run/containerd/containerd.sock", () => grpcTarget(text));
  const { validate, refusal } = metricFlags["show-hidden-metrics-for-version"];
  const version = value("showHiddenMetricsForVersion");
  if (typeof version === "string" && validate(version) !== undefined)
    errors.push(`field showHiddenMetricsForVersion: ${refusal}`);
  if (value("protectKernelDefaults") === true)
    for (const { name, want, found } of wrongSettings())
      errors.push(
        `field protectKernelDefaults: kernel setting ${name} is ${found ?? "not readable"}; want ${want} (sysctl -w ${name}=${want}), or set protectKernelDefaults to false`,
      );
  if (value("failSwapOn") !== false && swaps.length > 0)
    errors.push(`field failSwapOn: swap is on (${swaps.join(", ")}); switch it off, or set failSwapOn to false`);
  return errors;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The valid entries of `featureGates`. */
export function givenGates(value: (field: string) => unknown): ReadonlyMap<string, boolean> {
  const gates = value("featureGates");
  const entries = isObject(gates) ? Object.entries(gates) : [];
  return new Map(entries.flatMap(([name, on]) => (typeof on === "boolean" ? [[name, on] as const] : [])));
}
