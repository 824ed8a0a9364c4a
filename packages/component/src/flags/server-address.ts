/** Checks a flag that names a server: returns what would have been accepted, or undefined if the address is valid or empty. */
export function serverAddressWanted(text: string): string | undefined {
  if (text === "") return undefined;
  const usable = /^https?:\/\/[^/]/.test(text) && URL.canParse(text);
  return usable ? undefined : "a URL such as https://127.0.0.1:6443";
}
