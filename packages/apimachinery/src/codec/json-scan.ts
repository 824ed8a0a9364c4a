import { DecodeError } from "./decode-error.ts";

/** Result of a scan of JSON text. */
export interface ScanResult {
  /** Paths of duplicate keys, without repetitions, in order of discovery; the first hundred. */
  readonly duplicateFields: readonly string[];
}

/** Maximum number of reported duplicate fields. */
const maxDuplicates = 100;
/** Longest reported path in characters: keys are input, and may be megabytes long. */
const maxPathLength = 4096;
const quote = 0x22;
const backslash = 0x5c;

interface Frame {
  /** Keys seen, for objects; undefined for arrays. */
  readonly keys: Set<string> | undefined;
  /** The current key, or the current index. */
  step: string | number;
}

/**
 * Checks JSON text strictly, without recursion: syntax, depth, duplicate keys. It is much slower than JSON.parse, so
 * it only runs when that has failed or duplicates were detected.
 *
 * @throws DecodeError with the first invalid character, in the words of Go's encoding/json
 */
export function scanJson(text: string, maxDepth: number): ScanResult {
  return new Scanner(text, maxDepth).run();
}

class Scanner {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #frames: Frame[] = [];
  readonly #duplicates = new Set<string>();
  #at = 0;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  run(): ScanResult {
    let wantsValue = true;
    for (;;) {
      if (wantsValue) {
        this.#space();
        wantsValue = this.#value();
      } else if (this.#frames.length === 0) {
        this.#space();
        if (this.#at < this.#text.length) {
          throw this.#unexpected("after top-level value");
        }
        return { duplicateFields: [...this.#duplicates] };
      } else {
        wantsValue = this.#afterValue();
      }
    }
  }

  /** Reads a value or opens a container. @returns whether a value comes next */
  #value(): boolean {
    const char = this.#text[this.#at];
    switch (char) {
      case "{":
        return this.#open(new Set(), "}");
      case "[":
        return this.#open(undefined, "]");
      case '"':
        this.#string();
        return false;
      case "t":
        return this.#word("true");
      case "f":
        return this.#word("false");
      case "n":
        return this.#word("null");
      default:
        this.#number();
        return false;
    }
  }

  #open(keys: Set<string> | undefined, close: string): boolean {
    this.#at++;
    this.#frames.push({ keys, step: keys === undefined ? 0 : "" });
    if (this.#frames.length > this.#maxDepth) {
      throw new DecodeError(`exceeded max depth: the document nests deeper than ${this.#maxDepth} levels`);
    }
    this.#space();
    if (this.#text[this.#at] === close) {
      this.#at++;
      this.#frames.pop();
      return false;
    }
    if (keys !== undefined) {
      this.#key();
    }
    return true;
  }

  /** Reads what follows a value inside a container: a comma or the end. @returns whether a value comes next */
  #afterValue(): boolean {
    const frame = this.#frames[this.#frames.length - 1];
    const inObject = frame?.keys !== undefined;
    this.#space();
    const char = this.#text[this.#at];
    if (char === (inObject ? "}" : "]")) {
      this.#at++;
      this.#frames.pop();
      return false;
    }
    if (char !== "," || frame === undefined) {
      throw this.#unexpected(inObject ? "after object key:value pair" : "after array element");
    }
    this.#at++;
    if (inObject) {
      this.#space();
      this.#key();
    } else {
      frame.step = Number(frame.step) + 1;
    }
    return true;
  }

  #key(): void {
    if (this.#text.charCodeAt(this.#at) !== quote) {
      throw this.#unexpected("looking for beginning of object key string");
    }
    const key = this.#string();
    const frame = this.#frames[this.#frames.length - 1];
    if (frame !== undefined) {
      frame.step = key;
      // Paths are as long as the document is deep: build only those that are reported.
      if (frame.keys?.has(key) && this.#duplicates.size < maxDuplicates) {
        this.#duplicates.add(this.#path());
      }
      frame.keys?.add(key);
    }
    this.#space();
    if (this.#text[this.#at] !== ":") {
      throw this.#unexpected("after object key");
    }
    this.#at++;
  }

  #path(): string {
    let path = "";
    for (const { step } of this.#frames) {
      if (path.length > maxPathLength) return `${path.slice(0, maxPathLength)}…`;
      path += typeof step === "number" ? `[${step}]` : path === "" ? step : `.${step}`;
    }
    return path;
  }

  #string(): string {
    const start = ++this.#at;
    let escaped = false;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === quote) {
        const raw = this.#text.slice(start, this.#at++);
        return escaped ? String(JSON.parse(`"${raw}"`)) : raw;
      }
      if (code === backslash) {
        escaped = true;
        this.#escape();
      } else if (code >= 0x20) {
        this.#at++;
      } else {
        throw this.#unexpected("in string literal");
      }
    }
  }

  #escape(): void {
    this.#at++;
    const char = this.#text[this.#at];
    if (char === "u") {
      for (let i = 0; i < 4; i++) {
        this.#at++;
        if (!/^[0-9a-fA-F]$/.test(this.#text[this.#at] ?? "")) {
          throw this.#unexpected("in \\u hexadecimal character escape");
        }
      }
    } else if (char === undefined || !'"\\/bfnrt'.includes(char)) {
      throw this.#unexpected("in string escape code");
    }
    this.#at++;
  }

  #word(word: string): boolean {
    for (const char of word) {
      if (this.#text[this.#at] !== char) {
        throw this.#unexpected(`in literal ${word} (expecting '${char}')`);
      }
      this.#at++;
    }
    return false;
  }

  #number(): void {
    if (this.#text[this.#at] === "-") {
      this.#at++;
      if (!this.#isDigit()) {
        throw this.#unexpected("in numeric literal");
      }
    } else if (!this.#isDigit()) {
      throw this.#unexpected("looking for beginning of value");
    }
    if (this.#text[this.#at] === "0") {
      this.#at++;
    } else {
      this.#digits("in numeric literal");
    }
    if (this.#text[this.#at] === ".") {
      this.#at++;
      this.#digits("after decimal point in numeric literal");
    }
    if (this.#text[this.#at] === "e" || this.#text[this.#at] === "E") {
      this.#at++;
      if (this.#text[this.#at] === "+" || this.#text[this.#at] === "-") {
        this.#at++;
      }
      this.#digits("in exponent of numeric literal");
    }
  }

  #isDigit(): boolean {
    const code = this.#text.charCodeAt(this.#at);
    return code >= 0x30 && code <= 0x39;
  }

  #digits(where: string): void {
    if (!this.#isDigit()) {
      throw this.#unexpected(where);
    }
    while (this.#isDigit()) {
      this.#at++;
    }
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) {
        return;
      }
      this.#at++;
    }
  }

  #unexpected(where: string): DecodeError {
    const char = this.#text.codePointAt(this.#at);
    if (char === undefined) {
      return new DecodeError("unexpected end of JSON input");
    }
    const shown = char === 0x27 ? "\\'" : JSON.stringify(String.fromCodePoint(char)).slice(1, -1).replace('\\"', '"');
    return new DecodeError(`invalid character '${shown}' ${where} (at offset ${this.#at})`);
  }
}
