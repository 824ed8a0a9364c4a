import { expect, test } from "vitest";
import { invalid } from "../status/errors.ts";
import { withErrorLimit } from "./error-limit.ts";
import { field } from "./field.ts";
import type { FieldError } from "./field-error.ts";

test("a validation that finds too many errors is stopped", () => {
  let looked = 0;
  const found = withErrorLimit(() => {
    const errors: FieldError[] = [];
    for (let i = 0; i < 1_000_000; i++) {
      looked++;
      errors.push(field.required(field("spec").index(i)));
    }
    return errors;
  });
  expect(looked).toBe(10_000);
  expect(found[0]?.field).toBe("spec[0]");
});

test("a Status lists a hundred errors and reports that there are more", () => {
  const errors = Array.from({ length: 150 }, (_, i) => field.required(field("spec").index(i)));
  const { details, message } = invalid({ group: "", kind: "Pod" }, "p", errors).status;
  expect(details?.causes).toHaveLength(101);
  expect(details?.causes?.at(-1)?.message).toBe("Too many errors: only the first 100 are listed");
  expect(message).toMatch(/, spec\[99\]: Required value, Too many errors: only the first 100 are listed\]$/);
});

test("messages quote the beginning of long values, and are built when they are read", () => {
  const long = "x".repeat(3_000_000);
  let printed = 0;
  const list = {
    get a() {
      printed++;
      return long;
    },
  };
  const errors = [long, [long, long], { a: long }, list].map((value) => field.invalid("spec", value, long));
  expect(printed).toBe(0);
  for (const { message } of errors) expect(message.length).toBeLessThan(20_000);
  expect(errors[0]?.message).toMatch(
    /^Invalid value: "x{4096}"… \(3000000 characters\): x{4096}… \(3000000 characters\)$/,
  );
  expect(printed).toBeGreaterThan(0);
});
