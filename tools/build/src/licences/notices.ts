import type { Component } from "./component.ts";

const RULE = "=".repeat(80);

/** The notices file: a line per package, then the licences' texts. */
export function renderNotices(name: string, components: readonly Component[]): string {
  const lines = components.map(({ name, version, licence }) => `${name} ${version}: ${licence}`);
  const texts = components.map(
    ({ name, version, licence, text }) =>
      `${RULE}\n${name} ${version}\n${RULE}\n\n${(text ?? `${licence}; the package comes without a text.`).trim()}\n`,
  );
  const head = `${name} is part of Orchernetes, under the Apache License 2.0. It holds these packages of others:`;
  return `${[head, lines.join("\n"), ...texts].join("\n\n")}`;
}
