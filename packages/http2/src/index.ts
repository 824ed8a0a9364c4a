export { ClientConnection, type ClientConnectionOptions, type OutgoingRequest } from "./client-connection.ts";
export { FIRST_WINDOW, MAX_WINDOW } from "./flow-control.ts";
export {
  Flag,
  FRAME_BYTES,
  FRAME_HEAD,
  type Frame,
  FrameReader,
  FrameType,
  frameBytes,
  numberFrame,
  PREFACE,
  Setting,
  settingsFrame,
  withoutPadding,
  withoutPriority,
  writeFrameHead,
} from "./frames.ts";
export { encodeHeaders, type Header, HeaderDecoder } from "./hpack.ts";
export {
  CANCEL,
  ConnectionError,
  type RequestStream,
  type ResponseHandler,
  type ResponseHeaders,
} from "./request-stream.ts";
