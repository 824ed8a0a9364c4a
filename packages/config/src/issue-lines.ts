import type { z } from "zod";

/** The place of a field in a document, such as `resources[0].providers`. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map(String)
    .reduce((text, part) => (/^\d+$/.test(part) ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`), "");

/**
 * Names of unknown fields that errors may quote. In YAML a missing space makes a field of a key and its secret
 * (`secret:dGV4dA==`), so a name is shown only if it is a short word; a secret in base64 is longer.
 */
const SHOWN_NAME = /^\w{1,20}$/;

/**
 * One line for each error that a schema found: the place in the document, and the schema's own message. Neither values
 * nor long names of unknown fields are quoted, so this is for documents that hold secrets.
 */
export const issueLines = ({ issues }: z.ZodError): readonly string[] =>
  issues.flatMap((issue) => {
    if (issue.code !== "unrecognized_keys") return [lineOf(issue.path, issue.message)];
    const { keys, path } = issue;
    // The message of a schema without one of its own quotes the names.
    const message = keys.some((key) => issue.message.includes(JSON.stringify(key))) ? "unknown field" : issue.message;
    return keys.map((key) => lineOf([...path, SHOWN_NAME.test(key) ? key : "(name not shown)"], message));
  });

const lineOf = (path: readonly PropertyKey[], message: string): string =>
  path.length === 0 ? message : `${pathText(path)}: ${message}`;
