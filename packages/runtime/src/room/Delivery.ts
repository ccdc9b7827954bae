import { Reports } from "../host/RoomReports.ts"
import type { RoomCore } from "./RoomCore.ts"
import type { Session } from "./Session.ts"

/** Sends a client's frame; to a dropped client it is lost. */
export const deliverTo = (core: RoomCore, session: Session, frame: Uint8Array): void => {
  if (session.ref === null) return
  if (session.early === null) core.send(Reports.deliver([session.ref], frame))
  else session.early.push(frame)
}

/** Sends one frame, encoded once, to all connected clients but some. */
export const deliverToAll = (
  core: RoomCore,
  frame: Uint8Array,
  except: ReadonlySet<Session>
): void => {
  const refs: number[] = []
  let everyone = true
  for (const session of core.sessions) {
    if (session.ref === null) continue
    if (except.has(session)) everyone = false
    else if (session.early === null) refs.push(session.ref)
    else session.early.push(frame)
  }
  // A client without its welcome is not among the service's "all", so it may be left out there.
  if (refs.length > 0) core.send(Reports.deliver(everyone ? "all" : refs, frame))
}
