import type { Answer, Subject } from "../Machine.ts"
import type { RoomDeed, RoomName, RoomPatch, RoomViews } from "../RoomModel.ts"

/** Ways to get rooms wrong. */
export type RoomFault =
  | "none"
  | "an awake room is deleted without force"
  | "a refused patch sets what it can"
  | "a patch without retention clears it"
  | "an unknown field is passed over"
  | "a deleted room keeps its saves"
  | "a deleted room keeps its override"
  | "a woken room begins anew"
  | "a restore keeps the state"
  | "a restore takes the oldest"
  | "a restore wakes nobody but loses the others"
  | "a started room is made public"
  | "a second client begins the room anew"
  | "what nobody made is deleted"

class Room {
  clients = 0
  value = 0
  override: string | null = null
  listed = false
  started = false
  saves: Array<{ readonly value: number; readonly version: number }> = []
}

/** Two rooms as somebody might write them, in memory, with one fault. */
export class FakeRooms implements Subject<RoomDeed, RoomViews> {
  readonly #fault: RoomFault
  readonly #rooms = new Map<RoomName, Room>()
  readonly #remains = new Map<RoomName, Room>()
  #version = 1

  constructor(fault: RoomFault) {
    this.#fault = fault
  }

  async perform(deed: RoomDeed): Promise<Answer> {
    if (deed.kind === "deploy") {
      this.#version++
      return "ok"
    }
    if (deed.kind === "join") return this.#join(deed.room)
    if (deed.kind === "patch" && this.#isBad(deed.body)) {
      return this.#badPatch(this.#rooms.get(deed.room), deed.body)
    }
    const room = this.#rooms.get(deed.room)
    if (room === undefined) {
      const lenient = this.#fault === "what nobody made is deleted" && deed.kind === "delete"
      return lenient ? "ok" : "404 E_ROOM_NOT_FOUND"
    }
    switch (deed.kind) {
      case "add":
        return `value ${++room.value}`
      case "save":
        this.#keep(room)
        return "ok"
      case "start":
        room.started = true
        return "ok"
      case "leave":
        if (--room.clients === 0) this.#keep(room)
        return "ok"
      case "kill":
        return `value ${room.value}`
      case "patch":
        return this.#patch(room, deed.body)
      case "delete":
        return this.#delete(deed.room, deed.force)
      case "restore":
        return this.#restore(deed.room, deed.at)
    }
  }

  async view(): Promise<RoomViews> {
    const of = (name: RoomName) => {
      const room = this.#rooms.get(name)
      if (room === undefined) return null
      const awake = room.clients > 0
      const { override, saves } = room
      return {
        awake,
        override,
        saves: keptOf(saves),
        value: awake ? room.value : null,
        listed: awake ? room.listed : null
      }
    }
    return { arena: of("arena"), lobby: of("lobby") }
  }

  #join(name: RoomName): Answer {
    const room = this.#rooms.get(name) ?? this.#made(name)
    const forgets =
      (this.#fault === "a woken room begins anew" && room.clients === 0) ||
      (this.#fault === "a second client begins the room anew" && room.clients === 1)
    if (forgets) room.value = 0
    room.clients++
    return `value ${room.value}`
  }

  #made(name: RoomName): Room {
    const room = new Room()
    const remains = this.#remains.get(name)
    if (remains !== undefined && this.#fault === "a deleted room keeps its saves") {
      room.saves = remains.saves
    }
    if (remains !== undefined && this.#fault === "a deleted room keeps its override") {
      room.override = remains.override
    }
    this.#rooms.set(name, room)
    return room
  }

  #isBad({ retention, clazz }: RoomPatch): boolean {
    if (clazz !== undefined && this.#fault !== "an unknown field is passed over") return true
    return retention === "soon"
  }

  #badPatch(room: Room | undefined, body: RoomPatch): Answer {
    if (this.#fault === "a refused patch sets what it can" && room !== undefined) {
      if (body.clazz !== undefined) room.override = body.retention ?? null
    }
    return "400 E_BAD_REQUEST"
  }

  #patch(room: Room, body: RoomPatch): Answer {
    const isBegun = room.started && this.#fault !== "a started room is made public"
    if (isBegun && body.public !== undefined) return "409 E_ROOM_STARTED"
    const clears = this.#fault === "a patch without retention clears it"
    if (body.retention !== undefined || clears) room.override = body.retention ?? null
    room.listed = body.public ?? room.listed
    return "ok"
  }

  #delete(name: RoomName, force: boolean): Answer {
    const room = this.#rooms.get(name)
    const may = force || this.#fault === "an awake room is deleted without force"
    if (room === undefined || (room.clients > 0 && !may)) return "409 E_ROOM_IN_USE"
    this.#remains.set(name, room)
    this.#rooms.delete(name)
    return "ok"
  }

  #restore(name: RoomName, at: number | null): Answer {
    const room = this.#rooms.get(name)
    const place = this.#fault === "a restore takes the oldest" ? (room?.saves.length ?? 0) - 1 : at
    const save = at === null || place === null ? undefined : room?.saves[place]
    if (room === undefined || save === undefined) return "404 E_SAVE_NOT_FOUND"
    for (const [other, each] of this.#rooms) {
      const loses = this.#fault === "a restore wakes nobody but loses the others"
      if (loses && other !== name && each.clients > 0) each.value = 0
      each.clients = 0
    }
    if (this.#fault !== "a restore keeps the state") room.value = save.value
    room.saves.unshift(save)
    return "ok"
  }

  #keep(room: Room): void {
    room.saves.unshift({ value: room.value, version: this.#version })
  }
}

const keptOf = (saves: Room["saves"]): number =>
  [...Map.groupBy(saves, ({ version }) => version).values()].reduce(
    (sum, ofVersion) => sum + Math.min(ofVersion.length, 10),
    0
  )
