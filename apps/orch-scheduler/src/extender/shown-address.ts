/** The address of an extender as messages show it: without a user's name and password. */
export const shownAddress = (url: string): string => url.replace(/^(https?:\/\/)[^/?#]*@/i, "$1");
