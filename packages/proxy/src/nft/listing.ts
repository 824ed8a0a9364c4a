import type { FoundTable } from "./reload.ts";

/** Reads what `nft --terse list table` prints. */
export function readTable(text: string): FoundTable {
  const found = [...text.matchAll(/^\t(chain|set|map) (\S+) \{$/gm)].map(([, kind = "", name = ""]) => ({
    kind,
    name,
  }));
  return {
    chains: found.filter(({ kind }) => kind === "chain").map(({ name }) => name),
    sets: found.flatMap(({ kind, name }) => (kind === "set" || kind === "map" ? [{ kind, name }] : [])),
  };
}

/** Reads the elements that `nft list map` prints, with their values. */
export function readElements(text: string): ReadonlyMap<string, string> {
  const [, list = ""] = /\belements = \{([^}]*)\}/.exec(text) ?? [];
  const pairs = list.split(",").map((element) => element.split(" : ").map((part) => part.trim()));
  return new Map(
    pairs.flatMap(([key = "", value = ""]) => (key === "" || value === "" ? [] : [[key, value] as const])),
  );
}
