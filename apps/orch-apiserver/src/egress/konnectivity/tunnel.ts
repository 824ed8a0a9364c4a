import { randomBytes } from "node:crypto";
import { Duplex } from "node:stream";
import { assertNever, type DialTarget, targetText } from "@orchernetes/kernel";
import { GrpcCall } from "./grpc-call.ts";
import { decodePacket, encodePacket, type Packet } from "./packets.ts";

const PATH = "/ProxyService/Proxy";
/** Maximum size of the data in a packet, in bytes. Longer writes are split. */
const MAX_DATA_BYTES = 64 * 1024;

const ignore = (): void => undefined;

/** The state of a tunnel that is being opened. */
interface Dialling {
  readonly random: bigint;
  readonly opened: () => void;
  readonly failed: (error: Error) => void;
}

/**
 * Requests a tunnel to a target from the konnectivity server at the other end of a connection.
 *
 * @param link the connection to the server, which the tunnel owns from now on
 * @throws Error with the reason of the server; the reason of the signal if it aborts
 */
export function dialKonnectivity(link: Duplex, target: DialTarget, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const abort = () => tunnel.giveUp(signal.reason);
    const settled = (settle: () => void) => {
      signal.removeEventListener("abort", abort);
      settle();
    };
    const tunnel = new Tunnel(link, target, {
      random: randomBytes(8).readBigInt64BE() & 0x7fff_ffff_ffff_ffffn,
      opened: () => settled(() => resolve(tunnel)),
      failed: (error) => settled(() => reject(error)),
    });
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

/**
 * A connection to a target through a konnectivity server. The protocol has no half-closed connections: after the end of writing, data from
 * the target still arrives, but the target does not learn of that end until the tunnel is destroyed.
 */
class Tunnel extends Duplex {
  readonly #call: GrpcCall;
  #dialling: Dialling | undefined;
  #connectId: bigint | undefined;
  /** Whether the server has ended the connection. */
  #over = false;

  constructor(link: Duplex, target: DialTarget, dialling: Dialling) {
    super({ allowHalfOpen: false });
    this.#dialling = dialling;
    // The tunnel may break before its user has attached a listener.
    this.on("error", ignore);
    this.#call = new GrpcCall(link, PATH, {
      onMessage: (bytes) => this.#take(decodePacket(bytes)),
      onEnd: (error) => this.#ended(error),
    });
    const { random } = dialling;
    this.#call.send(
      encodePacket({ type: "dialRequest", protocol: "tcp", address: targetText(target), random }),
      ignore,
    );
  }

  /** Ends a dial that is in flight. */
  giveUp(error: Error): void {
    if (this.#dialling === undefined) return;
    this.#call.send(encodePacket({ type: "closeDial", random: this.#dialling.random }), ignore);
    this.#fail(error);
  }

  override _read(): void {
    this.#call.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const data = chunk.subarray(0, MAX_DATA_BYTES);
    const rest = chunk.subarray(MAX_DATA_BYTES);
    const connectId = this.#connectId ?? 0n;
    this.#call.send(encodePacket({ type: "data", connectId, error: "", data }), (error) => {
      if (error || rest.length === 0) done(error);
      else this._write(rest, _encoding, done);
    });
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.#connectId !== undefined && !this.#over)
      this.#call.send(encodePacket({ type: "closeRequest", connectId: this.#connectId }), ignore);
    this.#over = true;
    this.#call.finish();
    done(error);
  }

  #take(packet: Packet): void {
    switch (packet.type) {
      case "dialResponse":
        if (packet.random !== this.#dialling?.random) throw new Error("it answered a request that was not made");
        if (packet.error !== "") this.#fail(new Error(`it could not reach the target: ${packet.error}`));
        else this.#open(packet.connectId);
        return;
      case "closeDial":
        this.#fail(new Error("it dropped the request for a connection"));
        return;
      case "data":
        this.#checkId(packet.connectId);
        if (packet.error !== "") this.destroy(new Error(packet.error));
        else if (!this.#over && packet.data.length > 0 && !this.push(packet.data)) this.#call.pause();
        return;
      case "closeRequest":
      case "closeResponse":
        this.#checkId(packet.connectId);
        this.#close(packet.type === "closeResponse" ? packet.error : "");
        return;
      case "drain":
      case "dialRequest":
        return;
      default:
        assertNever(packet);
    }
  }

  #open(connectId: bigint): void {
    const { opened } = this.#dialling ?? { opened: ignore };
    this.#dialling = undefined;
    this.#connectId = connectId;
    opened();
  }

  /** Rejects packets of another connection, whose data must not be mixed with that of this one. */
  #checkId(connectId: bigint): void {
    if (connectId !== this.#connectId)
      throw new Error(`it sent a packet of connection ${connectId}, where this is ${this.#connectId ?? "none"}`);
  }

  #close(error: string): void {
    if (this.#over) return;
    this.#over = true;
    if (error === "") this.push(null);
    else this.destroy(new Error(error));
  }

  #ended(error: Error | undefined): void {
    if (this.#dialling !== undefined) this.#fail(error ?? new Error("it ended the call before it answered"));
    else if (error === undefined) this.#close("");
    else if (!this.#over) {
      this.#over = true;
      this.destroy(error);
    }
  }

  #fail(error: Error): void {
    const dialling = this.#dialling;
    this.#dialling = undefined;
    this.destroy();
    dialling?.failed(error);
  }
}
