import { expect, test } from "vitest";
import { assertNever } from "./assert-never.ts";

type Shape = { readonly type: "circle"; readonly radius: number } | { readonly type: "square"; readonly side: number };

function area(shape: Shape): number {
  switch (shape.type) {
    case "circle":
      return Math.PI * shape.radius ** 2;
    case "square":
      return shape.side ** 2;
    default:
      return assertNever(shape);
  }
}

test("a member is handled by its own case", () => {
  expect(area({ type: "square", side: 2 })).toBe(4);
});

test.each([
  [
    { type: "triangle", secret: "s3cret" },
    'unexpected type "triangle": no case of a switch over all known values matches it',
  ],
  [
    { kind: "Secret", data: "s3cret" },
    'unexpected kind "Secret": no case of a switch over all known values matches it',
  ],
  [{ secret: "s3cret" }, "unexpected value: no case of a switch over all known values matches it"],
  ["hexagon", 'unexpected value "hexagon": no case of a switch over all known values matches it'],
  [undefined, "unexpected value undefined: no case of a switch over all known values matches it"],
  [null, "unexpected value null: no case of a switch over all known values matches it"],
])("%j is named by its discriminant alone", (value, message) => {
  expect(() => assertNever(value as never)).toThrow(new Error(message));
});
