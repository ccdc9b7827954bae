import { runnerProtocol } from "@atrium/actors/cluster/RunnerProtocol"
import { endless } from "@atrium/actors/cluster/ShardLeases"
import type { ForwardedClient } from "@atrium/actors/link/EntryLink"
import type { AwakeRooms } from "@atrium/actors/rooms/AwakeRooms"
import { step as stepSnapshot } from "@atrium/actors/rooms/SnapshotMachine"
import { step as stepServer } from "@atrium/actors/servers/ServerMachine"
import { Effect } from "effect"

import type { Mutant } from "./Mutant.ts"
import type { Parts } from "./Parts.ts"

/** The room ends as its shard moves away, and its sockets stay as they are. */
const leavesSockets = (rooms: AwakeRooms["Service"]): AwakeRooms["Service"] => ({
  ...rooms,
  make: Effect.fnUntraced(function* (key, lease) {
    const room = yield* rooms.make(key, lease)
    // The last finalizer is the first to run: the room's own one closes nothing any more.
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        room.gate.closeAll = () => {}
      })
    )
    return { ...room, lost: Effect.void }
  })
})

/** Changes what a link does for each client that it forwards. */
const forwarding =
  (change: (client: ForwardedClient) => Partial<ForwardedClient>): Parts["links"] =>
  (links) => ({
    ...links,
    forward: (address, wanted) => {
      const { client } = wanted
      const right: ForwardedClient = {
        nextResumeHash: () => client.nextResumeHash(),
        welcome: (told) => client.welcome(told),
        refuse: (refusal) => client.refuse(refusal),
        write: (frame) => client.write(frame),
        close: (close) => client.close(close),
        holdBack: () => client.holdBack(),
        hold: (held) => client.hold(held),
        moved: () => client.moved()
      }
      return links.forward(address, { ...wanted, client: { ...right, ...change(client) } })
    }
  })

/** Faults of several runners, each as it was found by hand, or would be without its mend. */
export const clusterMutants: ReadonlyArray<Mutant> = [
  {
    says: "a runner that joins takes servers of the others with it",
    rule: "moves",
    near: [27],
    parts: { areHashed: true }
  },
  {
    says: "the sockets of a room stay open when its server is lost",
    rule: "orphan",
    near: [5],
    parts: { awake: leavesSockets }
  },
  {
    says: "the lease is not asked before a room answers",
    rule: "lease",
    near: [10],
    parts: { awake: (rooms) => ({ ...rooms, make: (key) => rooms.make(key, endless) }) }
  },
  {
    says: "a link that is lost leaves its clients where they are",
    rule: "orphan",
    near: [10],
    parts: {
      links: forwarding((client) => ({
        close: (close) => {
          if (close.reason !== "the room's runner is out of reach") client.close(close)
        }
      }))
    }
  },
  {
    says: "the runner of a room never hears what its forwarded clients have taken",
    rule: "credit",
    near: [5],
    parts: {
      links: forwarding((client) => ({
        write: (frame) => {
          client.write(frame)
          return false
        }
      }))
    }
  },
  {
    says: "a client reaches the rooms of its own runner alone",
    rule: "rest",
    near: [5],
    parts: { links: (links) => ({ ...links, addressOf: () => Effect.succeed(null) }) }
  },
  {
    says: "the next version does not speak the link of the one before",
    rule: "rest",
    near: [7],
    parts: { nextLink: { oldest: runnerProtocol.newest + 1, newest: runnerProtocol.newest + 1 } }
  },
  {
    says: "a dirty room is stored when a call wants that, and at no other time",
    rule: "plain",
    near: [217],
    parts: {
      stepSnapshot: (before, event) => {
        const [next, actions] = stepSnapshot(before, event)
        return [next, actions.filter(({ _tag }) => _tag !== "ArmTimer")]
      }
    }
  },
  {
    says: "a runner that is cordoned takes rooms",
    rule: "cordon",
    near: [13],
    parts: {
      stepServer: (before, event) =>
        stepServer(before, event._tag === "AdmitAsked" ? { ...event, intake: "open" } : event)
    }
  },
  {
    says: "a runner that is alone starts beside the others",
    rule: "alone",
    parts: { runnerLock: false }
  },
  {
    says: "no runner looks for rooms that a deployment has left behind",
    rule: "versions",
    near: [115],
    parts: { oldVersions: false }
  }
]
