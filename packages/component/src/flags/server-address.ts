/** Check of a flag that names a server: what would do, or undefined for a usable address and for none. */
export function serverAddressWanted(text: string): string | undefined {
  if (text === "") return undefined;
  const usable = /^https?:\/\/[^/]/.test(text) && URL.canParse(text);
  return usable ? undefined : "a URL such as https://127.0.0.1:6443";
}
