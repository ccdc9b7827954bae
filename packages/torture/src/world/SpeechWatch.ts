import { answerIn } from "@atrium/actors/process/testing/MemoryRoomProcess"
import type { AwakeRoom } from "@atrium/actors/rooms/AwakeRoom"
import type { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import type { ClientSink } from "@atrium/actors/rooms/ClientGate"
import type { RoomGate } from "@atrium/actors/rooms/RoomGate"
import { groupOf, homeOf } from "@atrium/actors/servers/ServerIndex"
import { serverKeyText } from "@atrium/actors/servers/ServerProtocol"
import { roomKeyText } from "@atrium/domain/shared/Ids"
import { Effect } from "effect"
import { EntityId } from "effect/cluster"

import type { ClusterState } from "./ClusterState.ts"
import { isRelayRoom } from "./Deployments.ts"
import type { HomesState } from "./HomesState.ts"
import type { Host } from "./Host.ts"
import type { PlainCalls } from "./PlainCalls.ts"
import { Violation } from "./Violation.ts"
import { isVoiceFrame } from "./VoiceFrame.ts"

interface Speaker {
  readonly host: Host
  readonly address: string
}

/** A client's seat at the gate of its room, wherever its socket is. */
export interface GateSeat {
  readonly host: Host
  readonly gate: RoomGate
  readonly ref: number
}

interface Parts {
  readonly cluster: ClusterState
  readonly homes: HomesState
  readonly plain: PlainCalls
  checked(check: () => void): void
}

/** Hears each frame that a room says to a client, at the room's own runner, and asks whether it may. */
export class SpeechWatch {
  readonly #parts: Parts
  /** By session. */
  readonly seats = new Map<string, GateSeat>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The rooms of a runner, whose gates tell of every frame. */
  watched(rooms: AwakeRooms["Service"], speaker: Speaker): AwakeRooms["Service"] {
    return {
      ...rooms,
      make: (key, lease) =>
        Effect.map(rooms.make(key, lease), (room) => {
          this.#hear(room, speaker)
          return room
        })
    }
  }

  #hear(room: AwakeRoom, speaker: Speaker): void {
    const { gate } = room
    const enter = gate.enter.bind(gate)
    gate.enter = (sink, entrance) => {
      const ref = enter(this.#heard(sink, room, speaker), entrance)
      if (ref !== null) this.seats.set(entrance.sessionId, { host: speaker.host, gate, ref })
      return ref
    }
  }

  #heard(sink: ClientSink, room: AwakeRoom, speaker: Speaker): ClientSink {
    return {
      nextResumeHash: () => sink.nextResumeHash(),
      welcome: (told) => sink.welcome(told),
      refuse: (refusal) => sink.refuse(refusal),
      close: (close) => sink.close(close),
      hold: (held) => sink.hold(held),
      moved: () => sink.moved(),
      write: (frame) => {
        this.#parts.checked(() => this.#maySay(room, speaker))
        this.#note(room, frame)
        return sink.write(frame)
      }
    }
  }

  #note({ key, epoch }: AwakeRoom, frame: Uint8Array): void {
    if (isRelayRoom(roomKeyText(key)) || isVoiceFrame(frame)) return
    const answer = answerIn(frame)
    if ("write" in answer && answer.stored === null) {
      this.#parts.plain.said(answer.write, epoch())
    }
  }

  #maySay({ key, seat, epoch }: AwakeRoom, { host, address }: Speaker): void {
    const { cluster, homes } = this.#parts
    const sharding = cluster.members.get(address)?.sharding ?? null
    if (sharding === null) return
    const { serverIndex } = seat()
    const home = homeOf(serverIndex)
    const server = EntityId.make(serverKeyText(key.projectId, serverIndex))
    const shard = sharding.getShardId(server, groupOf(home)).toString()
    const isOver =
      home === 0 ? cluster.isOver(address, shard) : homes.isLapsed({ home, session: host.name })
    if (!isOver) return
    const said = `${roomKeyText(key)} of ${epoch()} says something on ${host.name}`
    throw new Violation("lease", `${said}, whose lease of ${shard} is over`)
  }
}
