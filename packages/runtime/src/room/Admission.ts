import { CloseCodes } from "@atrium/wire/frames/CloseCode"
import { RuntimeLimits } from "@atrium/wire/rooms/RuntimeLimits"

import type { JoinOrder } from "../host/HostOrders.ts"
import { mayClose, ReportBounds, Reports } from "../host/RoomReports.ts"
import { deliverTo } from "./Delivery.ts"
import { isPromise } from "./ErrorText.ts"
import type { PlayerRecord } from "./Players.ts"
import type { Requests } from "./Requests.ts"
import type { Room } from "./Room.ts"
import type { RoomClient } from "./RoomClient.ts"
import type { RoomCore } from "./RoomCore.ts"
import type { Session, SessionIdentity } from "./Session.ts"
import type { SavedSession } from "./SnapshotFile.ts"

interface Close {
  readonly code: number
  readonly reason: string
}

/** The clients of the room: joins, reconnects, drops and ends. */
export class Admission {
  readonly #core: RoomCore
  readonly #room: Room
  readonly #requests: Requests
  /** Joins whose onAuth has not answered yet. */
  readonly #pending = new Map<number, JoinOrder>()

  constructor(core: RoomCore, room: Room, requests: Requests) {
    this.#core = core
    this.#room = room
    this.#requests = requests
  }

  join(order: JoinOrder): void {
    const session = this.#sessionFor(order)
    if (session !== undefined) return this.#resume(session, order)
    const taken = this.#core.sessions.size + this.#pending.size + (order.seatsKept ?? 0)
    if (taken >= this.#core.schema.maxClients) {
      return this.#refuse(order.ref, "E_ROOM_FULL", "the room has all the clients that it takes")
    }
    this.#pending.set(order.ref, order)
    const { playerId, name, role, options, match = null } = order
    try {
      const handlers = this.#core.handlers
      const answer =
        handlers.onAuth === undefined
          ? true
          : handlers.onAuth(this.#room, { playerId, name, role, match, options })
      if (isPromise(answer)) this.#wait(order, answer)
      else this.#judge(order, answer)
    } catch (error) {
      this.#authThrew(order, error)
    }
  }

  /** The connection was lost. */
  drop(ref: number): void {
    this.#pending.delete(ref)
    const session = this.#core.sessions.byRef(ref)
    if (session === undefined) return
    this.#detach(session)
    this.#core.touch()
  }

  /** The client left for good. */
  leave(ref: number): void {
    this.#pending.delete(ref)
    const session = this.#core.sessions.byRef(ref)
    if (session !== undefined) this.#end(session, true)
  }

  /** Ends the sessions whose time to come back is over. */
  lapse(nowMs: number): void {
    for (const session of this.#core.sessions.lapsed(nowMs)) this.#end(session, false)
  }

  /** Brings back the sessions of a snapshot, all of them dropped as of the start. */
  restore(saved: ReadonlyArray<SavedSession>): void {
    for (const { id, playerId, name, role, match = null, ...rest } of saved) {
      const player = this.#core.players.take(playerId, { bytes: rest.player, fromSnapshot: true })
      const session = this.#make({ id, playerId, name, role, match }, player)
      session.resumeHash = rest.resumeHash
      session.previousResumeHash = rest.previousResumeHash
      this.#core.sessions.add(session)
      this.#core.sessions.detach(session, this.#core.start.nowMs)
      if (rest.voice !== undefined) this.#core.voice.set(id, rest.voice)
    }
    // Hooks run once everybody is there: one that looks at `room.clients` sees the same as before.
    for (const { id, droppedAtMs } of saved) {
      const session = this.#core.sessions.byId(id)
      if (session !== undefined && droppedAtMs === null) this.#tell("onDrop", session)
    }
  }

  #sessionFor(order: JoinOrder): Session | undefined {
    const { sessions } = this.#core
    if (order.attachedAs !== null) {
      const session = sessions.byId(order.attachedAs)
      if (session?.identity.playerId === order.playerId) return session
    }
    if (order.resumeHash === null) return undefined
    return sessions.resumable(order.playerId, order.resumeHash)
  }

  #wait(order: JoinOrder, answer: PromiseLike<unknown>): void {
    const cancelTimer = this.#core.port.setTimer(RuntimeLimits.roomJoin.ms, () => {
      if (this.#pending.get(order.ref) !== order) return
      this.#pending.delete(order.ref)
      this.#core.log("warn", `onAuth: no answer within ${RuntimeLimits.roomJoin.ms} ms`)
      this.#refuse(order.ref, "E_JOIN_REFUSED", "the room did not answer in time")
    })
    answer.then(
      (value) => {
        cancelTimer()
        this.#judge(order, value)
      },
      (error: unknown) => {
        cancelTimer()
        this.#authThrew(order, error)
      }
    )
  }

  #authThrew(order: JoinOrder, error: unknown): void {
    this.#core.logError("onAuth", error)
    this.#judge(order, false)
  }

  #judge(order: JoinOrder, answer: unknown): void {
    // The client may have gone, or been refused for waiting too long.
    if (this.#pending.get(order.ref) !== order) return
    this.#pending.delete(order.ref)
    if (answer !== true) {
      return this.#refuse(order.ref, "E_JOIN_REFUSED", this.#reasonOf(answer))
    }
    let player: PlayerRecord
    try {
      player = this.#core.players.take(order.playerId, {
        bytes: order.player,
        fromSnapshot: false
      })
    } catch (error) {
      this.#core.logError(`the stored fields of player ${order.playerId}`, error)
      return this.#refuse(order.ref, "E_JOIN_REFUSED", "the player's stored fields are damaged")
    }
    const { sessionId: id, playerId, name, role, match = null } = order
    const session = this.#make({ id, playerId, name, role, match }, player)
    session.resumeHash = order.nextResumeHash
    this.#core.sessions.attach(session, order.ref)
    this.#core.sessions.add(session)
    this.#tell("onJoin", session)
    this.#welcome(session, order.ref, false)
  }

  #resume(session: Session, order: JoinOrder): void {
    if (session.ref !== null) {
      // The service may not know yet that the older connection is dead.
      this.#close(session, { code: CloseCodes.normal.code, reason: "resumed elsewhere" })
      this.#detach(session)
    }
    try {
      this.#core.players.refresh(order.playerId, order.player)
    } catch (error) {
      this.#core.logError(`the stored fields of player ${order.playerId}`, error)
    }
    session.previousResumeHash = order.resumeHash ?? session.resumeHash
    session.resumeHash = order.nextResumeHash
    this.#core.sessions.attach(session, order.ref)
    this.#tell("onReconnect", session)
    this.#welcome(session, order.ref, true)
  }

  #welcome(session: Session, ref: number, resumed: boolean): void {
    this.#core.markChanged()
    this.#core.touch()
    // Its own code may have removed it already.
    if (session.ref !== ref) return
    // Clients in the room get the changes as a patch; the new client has them in its state.
    this.#core.flushPatch()
    const sessionId = session.identity.id
    const welcome = this.#core.welcomeOf(session, ref)
    this.#core.send(Reports.joined(ref, { sessionId, resumed, ...welcome }))
    const early = session.early ?? []
    session.early = null
    for (const frame of early) deliverTo(this.#core, session, frame)
  }

  #detach(session: Session): void {
    this.#core.sessions.detach(session, this.#core.clock.nowMs())
    this.#core.markChanged()
    this.#requests.lost(session)
    this.#tell("onDrop", session)
  }

  #end(session: Session, consented: boolean): void {
    if (this.#core.sessions.byId(session.identity.id) !== session) return
    this.#core.sessions.remove(session)
    this.#core.voice.set(session.identity.id, null)
    this.#core.markChanged()
    this.#requests.lost(session)
    const { handlers } = this.#core
    this.#core.hook("onLeave", () => handlers.onLeave?.(this.#room, session.client, { consented }))
    this.#core.players.release(session.identity.playerId)
    this.#core.touch()
  }

  #tell(hook: "onJoin" | "onDrop" | "onReconnect", session: Session): void {
    const { handlers } = this.#core
    this.#core.hook(hook, () => handlers[hook]?.(this.#room, session.client))
  }

  #close(session: Session, close: Close): void {
    const { ref, early } = session
    if (ref === null) return
    if (early === null) this.#core.send(Reports.kick(ref, close))
    else this.#refuse(ref, "E_JOIN_REFUSED", close.reason)
  }

  #refuse(ref: number, code: string, message: string): void {
    this.#core.send(Reports.refused(ref, { code, message: message.toWellFormed() }))
  }

  /** The reason that room code gave goes out whole, or not at all. */
  #reasonOf(answer: unknown): string {
    const unsaid = "the room refused the join"
    if (typeof answer !== "string" || answer === "") return unsaid
    const bytes = new TextEncoder().encode(answer).length
    if (bytes <= ReportBounds.messageBytes) return answer
    this.#core.log(
      "error",
      `onAuth: a reason of ${bytes} bytes is over ${ReportBounds.messageBytes}`
    )
    return unsaid
  }

  #make(identity: SessionIdentity, player: PlayerRecord): Session {
    const leave = (code: number = CloseCodes.refused.code, reason = ""): void => {
      if (!mayClose(code)) throw new RangeError(`leave: ${code} is not 1000 or 3000 to 4999`)
      const bytes = new TextEncoder().encode(reason).length
      if (bytes > ReportBounds.reasonBytes) {
        throw new RangeError(
          `leave: a reason of ${bytes} bytes is over ${ReportBounds.reasonBytes}`
        )
      }
      this.#close(session, { code, reason })
      this.#end(session, false)
    }
    // The player's record was built from the schema's player fields, which is what PlayerOf says.
    const fields = player.fields as RoomClient["player"]
    const client: RoomClient = Object.freeze({
      ...identity,
      get connected(): boolean {
        return session.ref !== null
      },
      player: fields,
      leave
    })
    const session: Session = {
      identity,
      client,
      player,
      resumeHash: "",
      previousResumeHash: null,
      ref: null,
      droppedAtMs: null,
      early: null,
      callsWaiting: 0
    }
    return session
  }
}
