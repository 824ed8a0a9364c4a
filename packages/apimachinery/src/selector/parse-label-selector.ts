import { type Token, type TokenKind, tokenize } from "./lexer.ts";
import {
  checkLabelKey,
  newRequirement,
  type Requirement,
  SelectorError,
  type SelectorOperator,
} from "./requirement.ts";
import { type Selector, selectorOf } from "./selector.ts";

const operators: Readonly<Partial<Record<TokenKind, SelectorOperator>>> = {
  in: "in",
  notin: "notin",
  "=": "=",
  "==": "==",
  "!=": "!=",
  ">": "gt",
  "<": "lt",
};

const distinct = (values: Iterable<string>): readonly string[] => [...new Set(values)].sort();

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  /** The next token, where `in` and `notin` are identifiers unless an operator is expected. */
  #peek(operatorPlace = false): Token {
    const token = this.#tokens[this.#position] ?? { kind: "end", text: "" };
    const word = token.kind === "in" || token.kind === "notin";
    return word && !operatorPlace ? { kind: "identifier", text: token.text } : token;
  }

  #next(operatorPlace = false): Token {
    const token = this.#peek(operatorPlace);
    this.#position++;
    return token;
  }

  parse(): Selector {
    const requirements: Requirement[] = [];
    for (;;) {
      const start = this.#peek();
      if (start.kind === "end") {
        return selectorOf(requirements);
      }
      if (start.kind !== "identifier" && start.kind !== "!") {
        throw new SelectorError(`found '${start.text}', expected: !, identifier, or 'end of string'`);
      }
      try {
        requirements.push(this.#requirement());
      } catch (error) {
        if (error instanceof SelectorError) {
          throw new SelectorError(`unable to parse requirement: ${error.message}`, { cause: error });
        }
        throw error;
      }
      const after = this.#next();
      if (after.kind === "end") {
        return selectorOf(requirements);
      }
      if (after.kind !== ",") {
        throw new SelectorError(`found '${after.text}', expected: ',' or 'end of string'`);
      }
      const following = this.#peek();
      if (following.kind !== "identifier" && following.kind !== "!") {
        throw new SelectorError(`found '${following.text}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): Requirement {
    const negated = this.#peek().kind === "!";
    if (negated) {
      this.#next();
    }
    const key = this.#next();
    if (key.kind !== "identifier") {
      throw new SelectorError(`found '${key.text}', expected: identifier`);
    }
    const wrong = checkLabelKey(key.text, "<nil>");
    if (wrong !== undefined) {
      throw new SelectorError(`${wrong.field}: ${wrong.message}`);
    }
    const after = this.#peek();
    if (negated) {
      return newRequirement(key.text, "!", []);
    }
    if (after.kind === "end" || after.kind === ",") {
      return newRequirement(key.text, "exists", []);
    }
    const token = this.#next(true);
    const operator = operators[token.kind];
    if (operator === undefined) {
      throw new SelectorError(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
    const values = operator === "in" || operator === "notin" ? this.#values() : this.#value();
    return newRequirement(key.text, operator, values);
  }

  #value(): readonly string[] {
    const token = this.#peek();
    if (token.kind === "end" || token.kind === ",") {
      return [""];
    }
    this.#next();
    if (token.kind !== "identifier") {
      throw new SelectorError(`found '${token.text}', expected: identifier`);
    }
    return [token.text];
  }

  /** Reads `(a,b)`; an empty place between commas means the empty value. */
  #values(): readonly string[] {
    const open = this.#next();
    if (open.kind !== "(") {
      throw new SelectorError(`found '${open.text}' expected: '('`);
    }
    const first = this.#peek();
    if (first.kind === ")") {
      this.#next();
      return [""];
    }
    if (first.kind !== "identifier" && first.kind !== ",") {
      throw new SelectorError(`found '${first.text}', expected: ',', ')' or identifier`);
    }
    const values = new Set<string>();
    for (;;) {
      const token = this.#next();
      if (token.kind === ")") {
        return distinct(values);
      }
      if (token.kind === "identifier") {
        values.add(token.text);
        const after = this.#peek();
        if (after.kind !== "," && after.kind !== ")") {
          throw new SelectorError(`found '${after.text}', expected: ',' or ')'`);
        }
      } else if (token.kind === ",") {
        const after = this.#peek();
        if (values.size === 0 || after.kind === ")" || after.kind === ",") {
          values.add("");
        }
      } else {
        throw new SelectorError(`found '${token.text}', expected: ',', or identifier`);
      }
    }
  }
}

/**
 * Parses the selector language: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1,m<2`. Blank text selects everything.
 *
 * @throws SelectorError; the server returns its message in a BadRequest
 */
export function parseLabelSelector(text: string): Selector {
  return new Parser(text).parse();
}
