/**
 * Words of the stock client and their counterparts under the naming rule. Longer words come before those they
 * contain.
 */
const WORDS: readonly (readonly [stock: string, own: string])[] = [
  ["kubernetes", "orchernetes"],
  ["Kubernetes", "Orchernetes"],
  ["kubelet", "orchlet"],
  ["Kubelet", "Orchlet"],
  ["kubectl", "orchctl"],
  ["kube-", "orch-"],
  ["k8s", "o8s"],
];

const ownByStock = new Map(WORDS);
const stockByOwn = new Map(WORDS.map(([stock, own]) => [own, stock] as const));
const anyOf = (words: Iterable<string>): RegExp => new RegExp([...words].join("|"), "g");
const stockWords = anyOf(ownByStock.keys());
const ownWords = anyOf(stockByOwn.keys());

/** Text of a stock client in the names of this project. */
export const toOwnNames = (text: string): string => text.replace(stockWords, (word) => ownByStock.get(word) ?? word);

/** Text of this project in the names that a stock client knows. */
export const toStockNames = (text: string): string => text.replace(ownWords, (word) => stockByOwn.get(word) ?? word);
