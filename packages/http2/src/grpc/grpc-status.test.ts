import { expect, test } from "vitest";
import { statusError } from "./grpc-status.ts";

test.each([
  ["0", undefined],
  ["5", { code: 5, message: "text" }],
  ["", { code: 2 }],
  ["00", { code: 2 }],
  ["-1", { code: 2 }],
  ["1e1", { code: 2 }],
  ["abc", { code: 2 }],
  ["99999999999999999999", { code: 2 }],
])("status %j of a call", (status, want) => {
  const fields: Readonly<Record<string, string>> = { "grpc-status": status, "grpc-message": "text" };
  const error = statusError((name) => fields[name]);
  if (want === undefined) expect(error).toBeUndefined();
  else expect(error).toMatchObject(want);
});
