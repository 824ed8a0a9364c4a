/** Replaces the value of an attribute, as it is written in the page; undefined where the value is not needed. */
export type ValueRewriter = (value: string) => string;

/** Says which attributes of a tag are to be rewritten, by names in lower case. */
export type AttributeChoice = (tag: string, attribute: string) => ValueRewriter | undefined;

/** Characters of a name that are kept, more than any name has that matters. */
const LONGEST_NAME = 32;
/** Characters of a value that are kept; a longer one, such as an image in a `data:` URL, passes as it came. */
const LONGEST_VALUE = 16 * 1024;

/** Elements whose content is no markup. */
const RAW = new Set(["iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"]);

type State =
  | "text"
  | "tagOpen"
  | "endTagOpen"
  | "tagName"
  | "beforeName"
  | "name"
  | "afterName"
  | "beforeValue"
  | "value"
  | "declaration"
  | "bogus"
  | "commentStart"
  | "comment"
  | "commentBang"
  | "raw"
  | "plaintext";

const isLetter = (c: string): boolean => (c >= "a" && c <= "z") || (c >= "A" && c <= "Z");
const isSpace = (c: string): boolean => c === " " || c === "\n" || c === "\t" || c === "\r" || c === "\f";

/**
 * Reads HTML in pieces of any size for the attributes of its tags, by the states of the living standard's tokenizer, but without a
 * tree: the content of `svg` and `math` is read as any other. Time is linear in the text however hostile it is, and no more than one
 * value is kept.
 */
export class HtmlScanner {
  readonly #choice: AttributeChoice;
  #state: State = "text";
  #tag = "";
  #isEnd = false;
  #attribute = "";
  /** What ends the value: a quote, or "" for one without. */
  #quote = "";
  #rewrite: ValueRewriter | undefined;
  #value = "";
  /** Hyphens of a comment so far, or characters of the end tag of a raw element. */
  #matched = 0;

  constructor(choice: AttributeChoice) {
    this.#choice = choice;
  }

  /** The text with its attributes rewritten, but for a value that is not at its end. */
  write(text: string): string {
    let out = "";
    let sent = 0;
    for (let at = 0; at < text.length; ) {
      if (this.#state === "value" && this.#rewrite !== undefined) {
        out += text.slice(sent, at);
        const end = this.#valueEnd(text, at);
        this.#value += text.slice(at, end);
        // However the pieces were cut, a value that is too long is not rewritten.
        const isTooLong = this.#value.length > LONGEST_VALUE;
        if (isTooLong) out += this.#value;
        else if (end < text.length) out += this.#rewrite(this.#value);
        if (end < text.length || isTooLong) this.#rewrite = undefined;
        sent = at = end;
      } else {
        at = this.#step(text, at);
      }
    }
    return out + text.slice(sent);
  }

  /** What was kept of a page that ends in the middle of a value. */
  end(): string {
    return this.#rewrite === undefined ? "" : this.#value;
  }

  /** Reads one character and more from `at`; gives the place behind them. */
  #step(text: string, at: number): number {
    const c = text[at] ?? "";
    switch (this.#state) {
      case "text":
        return this.#upTo(text, at, "<", "tagOpen");
      case "plaintext":
        return text.length;
      case "bogus":
        return this.#upTo(text, at, ">", "text");
      case "tagOpen":
        if (isLetter(c)) return this.#beginTag(at, false);
        this.#matched = 0;
        if (c === "/") this.#state = "endTagOpen";
        else if (c === "!") this.#state = "declaration";
        else if (c === "?") this.#state = "bogus";
        else return this.#again("text", at);
        return at + 1;
      case "endTagOpen":
        if (isLetter(c)) return this.#beginTag(at, true);
        return this.#again("bogus", at);
      case "declaration":
        if (c !== "-") return this.#again("bogus", at);
        if (++this.#matched === 2) {
          this.#state = "commentStart";
          this.#matched = 0;
        }
        return at + 1;
      case "commentStart":
        // "<!-->" and "<!--->" are whole comments.
        if (c === ">") this.#state = "text";
        else if (c !== "-" || this.#matched === 1) return this.#again("comment", at);
        else this.#matched = 1;
        return at + 1;
      case "comment":
        if (c === ">" && this.#matched >= 2) this.#state = "text";
        else if (c === "!" && this.#matched >= 2) this.#state = "commentBang";
        this.#matched = c === "-" ? this.#matched + 1 : 0;
        return at + 1;
      case "commentBang":
        // "--!>" ends a comment, too.
        if (c !== ">") return this.#again("comment", at);
        this.#state = "text";
        return at + 1;
      case "raw":
        return this.#raw(text, at);
      case "value":
        return this.#skipValue(text, at);
      default:
        return this.#inTag(this.#state, c, at);
    }
  }

  #inTag(state: "tagName" | "beforeName" | "name" | "afterName" | "beforeValue", c: string, at: number): number {
    if (c === ">") return this.#endTag(at);
    if (state === "beforeValue") {
      if (!isSpace(c)) return this.#beginValue(c, at);
    } else if (isSpace(c)) {
      if (state === "tagName") this.#state = "beforeName";
      else if (state === "name") this.#state = "afterName";
    } else if (c === "/") {
      this.#state = "beforeName";
    } else if (state === "tagName") {
      if (this.#tag.length < LONGEST_NAME) this.#tag += c.toLowerCase();
    } else if (c === "=" && state !== "beforeName") {
      this.#state = "beforeValue";
    } else if (state === "name") {
      if (this.#attribute.length < LONGEST_NAME) this.#attribute += c.toLowerCase();
    } else {
      this.#attribute = c.toLowerCase();
      this.#state = "name";
    }
    return at + 1;
  }

  #beginTag(at: number, isEnd: boolean): number {
    this.#tag = "";
    this.#isEnd = isEnd;
    return this.#again("tagName", at);
  }

  #endTag(at: number): number {
    this.#matched = 0;
    if (!this.#isEnd && RAW.has(this.#tag)) this.#state = "raw";
    else this.#state = !this.#isEnd && this.#tag === "plaintext" ? "plaintext" : "text";
    return at + 1;
  }

  #beginValue(c: string, at: number): number {
    this.#quote = c === '"' || c === "'" ? c : "";
    this.#rewrite = this.#isEnd ? undefined : this.#choice(this.#tag, this.#attribute);
    this.#value = "";
    this.#state = "value";
    return this.#quote === "" ? at : at + 1;
  }

  #skipValue(text: string, at: number): number {
    const end = this.#valueEnd(text, at);
    if (end === text.length) return end;
    this.#state = "beforeName";
    return this.#quote === "" ? end : end + 1;
  }

  #valueEnd(text: string, at: number): number {
    if (this.#quote !== "") {
      const end = text.indexOf(this.#quote, at);
      return end === -1 ? text.length : end;
    }
    let end = at;
    while (end < text.length && text[end] !== ">" && !isSpace(text[end] ?? "")) end++;
    return end;
  }

  /** Looks for the end tag of the element: `#matched` characters of it have been read. */
  #raw(text: string, at: number): number {
    if (this.#matched === 0) {
      const begin = text.indexOf("<", at);
      if (begin !== -1) this.#matched = 1;
      return begin === -1 ? text.length : begin + 1;
    }
    const c = text[at] ?? "";
    const wanted = `</${this.#tag}`;
    if (this.#matched < wanted.length) {
      if (c.toLowerCase() !== wanted[this.#matched]) return this.#restart(at);
      this.#matched++;
      return at + 1;
    }
    if (!isSpace(c) && c !== "/" && c !== ">") return this.#restart(at);
    this.#isEnd = true;
    return this.#again("beforeName", at);
  }

  #restart(at: number): number {
    this.#matched = 0;
    return at;
  }

  #upTo(text: string, at: number, character: string, then: State): number {
    const found = text.indexOf(character, at);
    if (found === -1) return text.length;
    this.#state = then;
    return found + 1;
  }

  #again(state: State, at: number): number {
    this.#state = state;
    return at;
  }
}
