/** What the thread for YAML is asked for. */
export type YamlRequest =
  | {
      readonly type: "read";
      readonly bytes: Uint8Array;
      /** Look for keys that occur twice in a mapping. */
      readonly duplicates: boolean;
    }
  | { readonly type: "write"; readonly bytes: Uint8Array };

/** What it answers: the document as JSON, or why it is none; or the text of what JSON says. */
export type YamlAnswer =
  | { readonly type: "document"; readonly bytes: Uint8Array; readonly duplicateFields: readonly string[] }
  | { readonly type: "text"; readonly bytes: Uint8Array }
  | { readonly type: "refused"; readonly reason: string };
