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
    const paths =
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => [...issue.path, SHOWN_NAME.test(key) ? key : "(name not shown)"])
        : [issue.path];
    return paths.map((path) => (path.length === 0 ? issue.message : `${pathText(path)}: ${issue.message}`));
  });
