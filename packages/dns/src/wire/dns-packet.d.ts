// Parts of dns-packet that its type declarations leave out: names and records can be read and written one at a time.
import type { Answer } from "dns-packet";

declare module "dns-packet" {
  export const name: {
    encode: { (name: string, bytes: Buffer, offset: number): Buffer; bytes: number };
    decode: { (bytes: Buffer, offset: number): string; bytes: number };
    encodingLength(name: string): number;
  };
  export const answer: {
    encode: { (record: Answer, bytes: Buffer, offset: number): Buffer; bytes: number };
    decode: { (bytes: Buffer, offset: number): Answer; bytes: number };
  };
}
