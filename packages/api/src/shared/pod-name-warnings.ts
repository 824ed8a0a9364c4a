import { isDns1123Label } from "@orchernetes/apimachinery";

/** Advice on names that end up in pod names and hostnames. */
export function podNameWarnings(name: string | undefined): string[] {
  const errors = isDns1123Label(name ?? "");
  return name === undefined || errors.length === 0
    ? []
    : [
        `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${errors.join(" ")}]`,
      ];
}
