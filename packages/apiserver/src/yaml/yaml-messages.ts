/** What the thread that reads YAML is asked for. */
export interface YamlRequest {
  readonly bytes: Uint8Array;
  /** Look for keys that occur twice in a mapping. */
  readonly duplicates: boolean;
}

/** What it answers: the document as JSON, or why it is none. */
export type YamlAnswer =
  | { readonly type: "document"; readonly json: Uint8Array; readonly duplicateFields: readonly string[] }
  | { readonly type: "refused"; readonly reason: string };
