import type { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { isViewer } from "@atrium/domain/audience/AudienceRole"
import { allowsOrigin } from "@atrium/domain/projects/Origins"
import type { ClientAddress } from "@atrium/domain/shared/ClientAddress"
import { isProjectId, isRoomId, type ProjectId } from "@atrium/domain/shared/Ids"

import type { Hello } from "./Hello.ts"
import type { JoinTerms } from "./JoinTerms.ts"
import type { PlayerTokens } from "./PlayerTokens.ts"
import type { JoiningClient } from "./RemoteJoin.ts"
import type { DoorTarget, RoomDoor } from "./RoomDoor.ts"
import { barOf, type Entering, entranceOf, roomUp, seatHere } from "./RoomSeat.ts"

/** A client that has said hello. */
export interface Arriving {
  readonly connection: JoiningClient
  readonly target: DoorTarget
  readonly caller: ClientAddress
  /** The origin of the page that connects; `null` = no page does. */
  readonly origin: string | null
  readonly hello: Hello
  /** Its credential is proven: from here on it may enter the room, and enter it anew where it moves. */
  proven(entering: Entering): void
}

/** What the limits of joins have said of a client already. A join counts once. */
export interface Counted {
  readonly byAddress?: boolean | Promise<boolean>
  readonly ofProject?: boolean | Promise<boolean>
}

interface Means {
  readonly tokens: Pick<PlayerTokens["Service"], "verifyNow">
  readonly terms: Pick<JoinTerms["Service"], "kids" | "origins">
  readonly awake: Pick<AwakeRooms["Service"], "find">
  readonly door: Pick<RoomDoor, "join" | "joinOfProject">
  nowMs(): number
  makeSessionId(): string
}

/** What became of a client. */
export type Seating =
  | { readonly _tag: "Seated" }
  /** It may be seated when something of its project has been read. */
  | { readonly _tag: "Unread"; readonly read: (ended: () => void) => void }
  /** `join` lets it in or refuses it. */
  | { readonly _tag: "Left"; readonly counted: Counted }

const left = (counted: Counted): Seating => ({ _tag: "Left", counted })
const uncounted = left({})
const isSeated: Seating = { _tag: "Seated" }

/**
 * Seats a client of which everything is known here: its room is up on this runner, and this runner has read a moment
 * ago who may join. It refuses nobody. Source: C-920.
 */
export class QuickJoin {
  readonly #means: Means

  constructor(means: Means) {
    this.#means = means
  }

  /** Reads the project's secrets while the client has yet to say hello. */
  expect({ projectId }: DoorTarget): void {
    const { kids } = this.#means.terms
    if (isProjectId(projectId) && kids.recent(projectId) === undefined)
      kids.refresh(projectId, () => undefined)
  }

  seat(arriving: Arriving): Seating {
    const { target, caller } = arriving
    const found = this.#find(arriving)
    if ("_tag" in found) return found
    const { door } = this.#means
    const byAddress = door.join(caller, target, this.#means.nowMs())
    if (byAddress !== true) return left({ byAddress })
    const ofProject = door.joinOfProject(target, this.#means.nowMs())
    if (ofProject !== true) return left({ byAddress, ofProject })
    const { entering, up } = found
    arriving.proven(entering)
    const wanted = entranceOf(entering, this.#means.makeSessionId())
    const viewer = isViewer(entering.claims.role)
    const { key } = entering
    const seated = seatHere(arriving.connection, { ...up, player: null, key, wanted, viewer })
    return seated ? isSeated : left({ byAddress, ofProject })
  }

  /** The room, and the player's right to be in it. */
  #find({ target, origin, hello }: Arriving) {
    const { projectId, roomId } = target
    if (!isProjectId(projectId) || !isRoomId(roomId)) return uncounted
    const { kids, origins } = this.#means.terms
    // A join that wakes its room needs them, too.
    if (kids.recent(projectId) === undefined) return unread(kids, projectId)
    const key = { projectId, roomId }
    const up = roomUp(this.#means.awake.find(key), hello.type)
    // What the store has of a player is read at the join.
    if (up === null || !up.room.gate.open || up.incarnation.keepsPlayers) return uncounted
    if (origin !== null && !allowsOrigin([], origin)) {
      const listed = origins.recent(projectId)
      if (listed === undefined) return unread(origins, projectId)
      if (listed === null || !allowsOrigin(listed, origin)) return uncounted
    }
    const claims = this.#means.tokens.verifyNow(hello.token, target)
    if (claims === null) return uncounted
    // `join` says why.
    if (barOf(up.incarnation, { key, claims }) !== null) return uncounted
    return { up, entering: { key, hello, claims } }
  }
}

const unread = (
  term: Pick<JoinTerms["Service"]["kids" | "origins"], "refresh">,
  projectId: ProjectId
): Seating => ({ _tag: "Unread", read: (ended) => term.refresh(projectId, ended) })
