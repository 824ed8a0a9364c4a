/** Interfaces may have other names, but not in the language of nft. */
const INTERFACE_NAME = /^[^\s/"*\\]{1,15}$/;

/** Whether a name of an interface can be written into a batch. */
export function isInterfaceName(name: string): boolean {
  return INTERFACE_NAME.test(name);
}
