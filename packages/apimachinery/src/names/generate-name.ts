/** Without vowels and characters that are easily confused, as in Kubernetes. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const maxBaseLength = 63 - suffixLength;

/** Five random characters, without vowels so that they form no words. */
export function randomSuffix(random: () => number = Math.random): string {
  let suffix = "";
  for (let i = 0; i < suffixLength; i++) {
    suffix += alphabet[Math.floor(random() * alphabet.length)] ?? "b";
  }
  return suffix;
}

/**
 * A name from metadata.generateName: the base, cut to 58 characters, and a random suffix, 63 characters together.
 * Collisions are possible (27^5 suffixes); the caller retries.
 *
 * @param random source of numbers in [0, 1)
 */
export function generateName(base: string, random: () => number = Math.random): string {
  return base.slice(0, maxBaseLength) + randomSuffix(random);
}
