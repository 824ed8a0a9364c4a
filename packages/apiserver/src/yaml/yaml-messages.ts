/** A request to the YAML thread. */
export type YamlRequest =
  | {
      readonly type: "read";
      readonly bytes: Uint8Array;
      /** Report duplicate keys. */
      readonly duplicates: boolean;
    }
  | { readonly type: "write"; readonly bytes: Uint8Array };

/** Its answer: the document as JSON, or why it is invalid; or the YAML text of a JSON value. */
export type YamlAnswer =
  | { readonly type: "document"; readonly bytes: Uint8Array; readonly duplicateFields: readonly string[] }
  | { readonly type: "text"; readonly bytes: Uint8Array }
  | { readonly type: "refused"; readonly reason: string };
