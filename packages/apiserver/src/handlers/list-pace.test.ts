import { expect, test } from "vitest";
import { ListPace } from "./list-pace.ts";

test.each([
  ["many short entries", 200, 1000, 600, 3],
  ["long entries, each of which takes a turn", 200, 1_500_000, 5, 5],
  ["entries of a quarter of a turn", 200, 131_072, 8, 2],
])("%s", (_, most, bytes, count, turns) => {
  const pace = new ListPace(most);
  let over = 0;
  for (let i = 0; i < count; i++) if (pace.isOver(bytes)) over++;
  expect(over).toBe(turns);
});
