import { countStatuses, type Judgement, type Status } from "./judge.ts";

const LABELS: Readonly<Record<Status, string>> = { pass: "PASS", fail: "FAIL", warn: "WARN", "not applicable": "N/A " };

/** Replaces control characters: names and values come from the cluster, and could otherwise send escape sequences to the terminal. */
const printable = (text: string): string => text.replace(/\p{Cc}/gu, "?");

/** The judgements as text: by section, with what was found, and what to do about failures and warnings. */
export function renderText(judgements: readonly Judgement[]): string {
  const lines: string[] = [];
  let last = "";
  for (const { section, number, title, status, found, source, reason, remedy } of judgements) {
    if (section !== last) lines.push(...(last === "" ? [] : [""]), section);
    last = section;
    lines.push(`  ${LABELS[status]}  ${number.padEnd(11)}  ${title}`);
    if (status === "pass") continue;
    const indent = " ".repeat(21);
    if (found !== undefined) lines.push(`${indent}found: ${printable(found)} (${printable(source ?? "")})`);
    if (reason !== undefined) lines.push(`${indent}${printable(reason)}`);
    if (remedy !== undefined) lines.push(`${indent}remedy: ${remedy}`);
  }
  const { pass, fail, warn, "not applicable": inapplicable } = countStatuses(judgements);
  lines.push("", `${pass} passed, ${fail} failed, ${warn} warnings, ${inapplicable} not applicable`);
  return lines.join("\n");
}

/** The judgements as JSON, with what was found also of controls that pass. */
export function renderJson(judgements: readonly Judgement[]): string {
  const document = {
    benchmark: "CIS Kubernetes Benchmark 1.8 (formerNumber: 1.23 and 1.24)",
    summary: countStatuses(judgements),
    controls: judgements,
  };
  return JSON.stringify(document, undefined, 2);
}
