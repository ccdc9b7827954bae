/** A refusal within a room's connection, or between a room and its code. */
export interface RoomRefusal {
  readonly code: string
  readonly says: string
  /** The reader of the refusal: a client by a frame, or the room's own code by an error or a log line. */
  readonly reaches: "client" | "room code"
}

/** Refusals of RPCs. They stand apart, as they are the only refusals whose texts are a part of every client. */
export const RpcRefusals = {
  rpcBusy: {
    code: "E_RPC_BUSY",
    says: "more calls at once than the room or the client takes",
    reaches: "client"
  },
  rpcFailed: {
    code: "E_RPC_FAILED",
    says: "the handler of the call failed; its log says why",
    reaches: "client"
  },
  rpcUnknown: {
    code: "E_RPC_UNKNOWN",
    says: "the other side has no handler for the call",
    reaches: "client"
  },
  rpcTimeout: {
    code: "E_RPC_TIMEOUT",
    says: "the other side did not answer the call in time",
    reaches: "room code"
  }
} as const satisfies Record<string, RoomRefusal>
