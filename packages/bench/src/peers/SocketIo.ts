import { StampedFrame } from "@atrium/api/testing/load/LeanSocket"
import type { Seat } from "@atrium/api/testing/load/RoomSeat"
import type { Servers } from "@atrium/api/testing/load/Servers"
import { Opcode, webSocketFrame } from "@atrium/api/testing/WebSocketBytes"

import type { Dialect } from "../FanOutLoad.ts"
import { versionOfPeer } from "./InstallPeers.ts"
import type { Peer, PeerJoin } from "./Peer.ts"
import { nobody, openPeer } from "./PeerSocket.ts"

const messageBytes = 64
const path = "/socket.io/?EIO=4&transport=websocket"
const textFrame = (text: string): Buffer =>
  webSocketFrame(Buffer.from(text), { opcode: Opcode.text })
/** An event whose one argument is bytes: they follow in a frame of their own. */
const sayFrame = textFrame('451-["say",{"_placeholder":true,"num":0}]')
const pong = textFrame("3")

/** socket.io over WebSocket alone, without the polling that its clients begin with. */
export class SocketIo implements Peer {
  readonly name = `socket.io ${versionOfPeer("socket.io")}`
  readonly pid: number
  readonly port: number
  readonly dialect: Dialect = {
    frame: new StampedFrame(Buffer.alloc(messageBytes), 0, sayFrame),
    stampAt: 0,
    secondByte: null
  }

  private constructor(pid: number, port: number) {
    this.pid = pid
    this.port = port
  }

  static async start(servers: Servers, folder: string): Promise<SocketIo> {
    const child = servers.child(import.meta.resolve("./SocketIoChild.ts"), [folder])
    return new SocketIo(child.pid, Number(await child.line()))
  }

  /** All of its binary frames of W2 do. */
  isPatch(): boolean {
    return true
  }

  join({ kind, room, from, hear = () => undefined }: PeerJoin): Promise<Seat> {
    const hello = textFrame(`40${JSON.stringify({ kind, room: `${kind}/${room}` })}`)
    const greeting = {
      path,
      text: (text: string, socket: Seat["socket"]) => {
        if (text.startsWith("0")) socket.send(hello)
        else if (text === "2") socket.send(pong)
        else if (text.startsWith("44")) throw new Error(`socket.io refused a join: ${text}`)
        else if (text.startsWith("40") && kind !== "hall") return nobody
        return null
      },
      binary: () => nobody
    }
    const text = (said: string, socket: Seat["socket"]): void => {
      if (said === "2") socket.send(pong)
    }
    return openPeer(this, greeting, {
      startedAtMs: performance.now(),
      seated: { from, hear, text }
    })
  }
}
