import { isRefusal } from "../../check/Answers.ts"
import { holds, same } from "../../check/Expect.ts"
import { board, stateBytesOf, withRelayRooms } from "../../trial/RelayStage.ts"
import type { RoomSocket } from "../../trial/RoomSocket.ts"
import { type RoomStage, withRooms } from "../../trial/RoomStage.ts"
import { badRequest } from "../DecidedShapes.ts"
import { roomLimitsHeading } from "../Headings.ts"
import { relayRow } from "../RowKinds.ts"
import { section, tierC, tierA } from "../Section.ts"
import { isThere, setMark, markOf } from "./Marks.ts"
import { usedOf } from "./MeteredUse.ts"

/** Line 416 of the specification: Connection and room limits, what is said below the table. */
export const slowClientsSection = section(roomLimitsHeading, {
  "relay.schema-change-resets": relayRow(
    416,
    "deploying a changed relay schema resets room state and reconnects clients",
    {
      alsoLines: [548],
      check: {
        timeoutMs: 60_000,
        title:
          "another relay schema begins the rooms' state anew, and their clients come back into it",
        run: withRelayRooms(async (stage, trial) => {
          const { here, keys } = await playedRooms(stage)
          await stage.deploy("relaynext")
          await trial.until("the client is sent back", isSentBack(here))
          const [a, b] = [await stage.rejoin("a", board), await stage.rejoin("b", board)]
          holds(
            "the room that was up is empty",
            !(await isThere(a, keys[0])),
            "its record is there"
          )
          holds("so is the one that slept", !(await isThere(b, keys[1])), "its record is there")
          const empty = await stateBytesOf(stage, "never-played")
          await Promise.all([a.leave(), b.leave()])
          same("a state of no records", await stateBytesOf(stage, "a"), empty)
          const write = {
            op: "set",
            collection: "counter",
            key: 0,
            fields: { value: 1 }
          } as const
          await (await stage.rejoin("a", board)).relay.write(write)
        })
      }
    }
  ),
  "relay.same-schema-preserves": relayRow(416, "redeploying the same schema keeps state", {
    check: {
      timeoutMs: 60_000,
      title: "the same relay schema, deployed again, leaves the rooms' state as it is",
      run: withRelayRooms(async (stage) => {
        const { here, keys } = await playedRooms(stage)
        await stage.deploy("relay")
        const b = await stage.rejoin("b", board)
        holds("what slept is there", await isThere(b, keys[1]), "gone")
        const a = here.isOpen() ? here : await stage.rejoin("a", board)
        holds("what was up is there", await isThere(a, keys[0]), "gone")
        await setMark(a, keys[0])
      })
    }
  }),
  "slow.refused-bytes-unbilled": tierC(
    416,
    "bytes refused to a slow client are not billed as egress",
    {
      probe: ["ws"],
      hooks: ["fixture", "metrics"],
      features: ["slowClients"],
      check: {
        timeoutMs: 60_000,
        title: "what a slow client is not sent does not count as egress",
        run: withRooms(async (stage, trial) => {
          const [slow, reader] = [await stage.client("fast"), await stage.client("fast")]
          const egress = async () =>
            Number((await trial.control.metrics(stage.project.id))["egressBytes"])
          const before = await egress()
          slow.stall(true)
          const mib = 1024 * 1024
          for (let part = 0; part < 24; part++) {
            await reader.call("flood", { bytes: 64 * 1024, count: 16 })
          }
          await stage.counted("fast", 1)
          slow.stall(false)
          await slow.end()
          const received = (slow.heard("blob").length + reader.heard("blob").length) * 64 * 1024
          const counted = (await egress()) - before
          holds("the slow one lacks some", slow.heard("blob").length < 24 * 16, "nothing")
          const apart = Math.abs(counted - received)
          holds("egress is what was received", apart < mib, `${counted}, received ${received}`)
          const billed = await trial.until("what was received is metered", async () => {
            const used = await usedOf(trial, stage.project, "dataOutBytes")
            return used > received - mib ? used : null
          })
          holds("no more is billed", billed < received + mib, `${billed}, received ${received}`)
        })
      }
    }
  ),
  "slow.not-configurable": tierA(416, "slow-client limits are not configurable", {
    level: "info",
    decisions: ["D-13"],
    check: {
      title: "no setting of a project changes what may wait for a slow client",
      run: async (trial) => {
        const project = await trial.project()
        const before = (await project.ask("")).text
        for (const setting of ["outboundBytes", "slowClientBytes", "maxBufferedBytes"]) {
          const body = { name: project.name, [setting]: 1024 }
          const answer = await project.ask("", { method: "PATCH", body })
          trial.chosen("D-13", () => isRefusal(trial, answer, { ...badRequest(), naming: setting }))
        }
        same("the project afterwards", (await project.ask("")).text, before)
      }
    }
  })
})

/** Whether the client was sent back into its room, over another connection or another welcome. */
const isSentBack = (client: RoomSocket) => async (): Promise<true | null> =>
  !client.isOpen() || client.welcomes().length > 1 ? true : null

/** Rooms with a mark each: `a` has a client, `b` sleeps. */
const playedRooms = async (stage: RoomStage) => {
  const [here, gone] = [await stage.client("a", board), await stage.client("b", board)]
  const keys = [await markOf(here), await markOf(gone)] as const
  await gone.leave()
  await stage.asleep("b")
  return { here, keys }
}
