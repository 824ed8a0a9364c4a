// The parts of node-forge that are loaded: its root object, and the ASN.1 module, which adds itself to it.
declare module "node-forge/lib/forge.js" {
  import forge from "node-forge";
  export default forge;
}
declare module "node-forge/lib/asn1.js" {
  import forge from "node-forge";
  export default forge.asn1;
}
