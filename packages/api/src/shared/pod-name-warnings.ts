import { isDns1123Label } from "@orchernetes/apimachinery";

/** Warnings about names that are used in names of pods, and so in hostnames, but are no DNS labels. */
export function podNameWarnings(name: string | undefined): string[] {
  const errors = isDns1123Label(name ?? "");
  return name === undefined || errors.length === 0
    ? []
    : [
        `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${errors.join(" ")}]`,
      ];
}
