import { expect, test } from "vitest";
import { LineFile } from "./line-file.ts";

/** A file on a disk with room for so many bytes. */
function diskWith(room: number) {
  let content = "";
  const disk = { room };
  const file = new LineFile({
    write(bytes, offset) {
      const fits = Math.min(disk.room, bytes.length - offset);
      if (fits === 0) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
      content += Buffer.from(bytes.subarray(offset, offset + fits)).toString();
      disk.room -= fits;
      return fits;
    },
    notice: (dropped) => `${dropped} dropped\n`,
  });
  return { disk, file, content: () => content };
}

test.each<[string, number, readonly string[], string]>([
  ["all of a write fits", 100, ["a\n", "b\n"], "a\nb\nafter\n"],
  ["nothing of it fits", 2, ["a\n", "b\nc\n", "d\n"], "a\n3 dropped\nafter\n"],
  ["some of its lines fit", 4, ["a\nb\nc\nd\n"], "a\nb\n2 dropped\nafter\n"],
  ["a line is torn", 3, ["aaaa\nb\n", "c\n"], "aaa\n3 dropped\nafter\n"],
  ["only its line break does not fit", 4, ["aaaa\n"], "aaaa\n1 dropped\nafter\n"],
])("a full disk: %s", (_, room, texts, want) => {
  const { disk, file, content } = diskWith(room);
  for (const text of texts) file.write(text);
  disk.room = 1000;
  file.write("after\n");
  expect(content()).toBe(want);
});

test("lines are counted once, even if their report found no space either", () => {
  const { disk, file, content } = diskWith(0);
  file.write("a\nb\n");
  // Room for a part of the report.
  disk.room = 3;
  file.write("c\n");
  disk.room = 100;
  file.write("d\n");
  file.write("e\n");
  expect(content()).toBe("2 d\n3 dropped\nd\ne\n");
});

test("other errors are passed on to the caller", () => {
  const failing = new LineFile({
    write() {
      throw Object.assign(new Error("closed"), { code: "EPIPE" });
    },
    notice: () => "",
  });
  expect(() => failing.write("a\n")).toThrow("closed");
});
