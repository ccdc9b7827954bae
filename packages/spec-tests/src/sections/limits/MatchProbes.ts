import type { Probe } from "../../check/Check.ts"
import { holds, same } from "../../check/Expect.ts"
import { onHeldClock } from "../../families/HeldClock.ts"
import { outcomeOf, isRefusedAs } from "../../families/Outcome.ts"
import { passMs, queueName, withQueue, type MatchStage } from "../../trial/MatchStage.ts"
import type { Trial } from "../../trial/Trial.ts"
import { badRequest } from "../Literals.ts"
import { hourMs, minuteMs, secondMs } from "../Units.ts"

/** A check that moves time. Afterwards every allowance that it spent is full again. */
const timed = (
  title: string,
  queue: object,
  run: (stage: MatchStage, trial: Trial) => Promise<void>
): Probe => ({
  title,
  alone: true,
  needs: ["fixture"],
  timeoutMs: 60_000,
  run: withQueue(queue, (stage, trial) => onHeldClock(trial, hourMs, () => run(stage, trial)))
})

/** Says of a ticket that it waits for so long, and that it ends by the next pass. */
const endsAfter = async (
  stage: MatchStage,
  trial: Trial,
  { waitMs, ask }: { readonly waitMs: number; readonly ask: { readonly waitMs?: number } }
): Promise<void> => {
  const ticket = await stage.queues(ask)
  await trial.control.advance(waitMs - 1)
  await stage.stand(`a ticket a millisecond before ${waitMs} ms`, [ticket], "waiting")
  await trial.control.advance(passMs + 1)
  await stage.stand(`the ticket after ${waitMs} ms`, [ticket], "expired")
}

export const waitDefault = (waitMs: number): Probe =>
  timed(`a ticket that asks for no wait waits ${waitMs} ms`, { size: 2 }, (stage, trial) =>
    endsAfter(stage, trial, { waitMs, ask: {} })
  )

export const waitMax = (accept: number, refuse: number): Probe =>
  timed(
    `a ticket waits ${accept} ms if it asks for it, and no longer`,
    { size: 2 },
    async (stage, trial) => {
      const past = outcomeOf(trial, await stage.asks({ waitMs: refuse }))
      isRefusedAs(trial, "a longer wait", { got: past, outcome: badRequest, decision: "T-82" })
      await endsAfter(stage, trial, { waitMs: accept, ask: { waitMs: accept } })
    }
  )

export const oneTicket: Probe = {
  title: "a player who queues again has one live ticket: the earlier one is retired",
  needs: ["fixture"],
  run: withQueue({ size: 3 }, async (stage) => {
    const { token: identity } = await stage.player()
    const first = await stage.queues({ identity })
    const second = await stage.queues({ identity })
    await stage.stand("the earlier ticket", [first], "retired")
    await stage.stand("the later ticket", [second], "waiting")
    same("tickets that wait", await stage.depth(), 1)
    const others = [await stage.queues(), await stage.queues()]
    await stage.meet("three players", [second, ...others])
    await stage.stand("the retired ticket afterwards", [first], "retired")
  })
}

export const partySize = ({
  least = 2,
  accept
}: {
  readonly least?: number
  readonly accept: number
}): Probe => ({
  title: `a party has ${least} to ${accept} players, and no more than its queue`,
  needs: ["fixture"],
  run: withQueue({ size: accept }, async (stage, trial) => {
    const refused = async (size: number): Promise<void> => {
      const got = outcomeOf(trial, await stage.party(size))
      isRefusedAs(trial, `a party of ${size}`, { got, outcome: badRequest })
    }
    await stage.code(least)
    await stage.code(accept)
    await refused(least - 1)
    await refused(accept + 1)
    const body = { name: stage.rooms.project.name, queues: { [queueName]: { size: 4 } } }
    await stage.rooms.project.ask("", { method: "PATCH", body })
    const party = await stage.code(3)
    await refused(5)
    const members = []
    for (let member = 0; member < 3; member++) members.push(await stage.queues({ party }))
    // The party still waits: with one more player it would meet at once.
    const more = outcomeOf(trial, await stage.asks({ party }))
    holds("a fourth member is refused", !more.taken, more)
    const alone = await stage.queues()
    await stage.meet("a party of three and one more", [...members, alone])
  })
})

export const codeLifetime = (forMs: number): Probe =>
  timed(`a party's code takes players for ${forMs} ms`, { size: 4 }, async (stage, trial) => {
    const party = await stage.code(4)
    await trial.control.advance(forMs - 1)
    const last = await stage.queues({ party })
    await trial.control.advance(1)
    const late = outcomeOf(trial, await stage.asks({ party }))
    holds("a player who comes later is refused", !late.taken, late)
    await stage.stand("who came in time", [last], "waiting")
  })

export const expiryKeeps = (forMs: number): Probe =>
  timed(
    "the end of a party's code lets those wait who queued by it",
    { size: 4 },
    async (stage, trial) => {
      const party = await stage.code(2)
      await trial.control.advance(forMs - 10 * secondMs)
      const waitMs = 2 * minuteMs
      const members = [await stage.queues({ party, waitMs }), await stage.queues({ party, waitMs })]
      await trial.control.advance(11 * secondMs)
      await stage.stand("those who queued in time", members, "waiting")
      const others = [await stage.queues(), await stage.queues()]
      await trial.control.advance(passMs)
      await stage.meet("the party and two more", [...members, ...others])
    }
  )

/** The room asks for players while somebody is in it; then it sleeps, and nothing is heard of it. */
export const backfillFresh = (freshMs: number): Probe =>
  timed(
    `a seat is offered while its room was heard of within ${freshMs} ms`,
    { size: 2 },
    async (stage, trial) => {
      const offers = async (room: string): Promise<void> => {
        const client = await stage.rooms.client(room, { type: "matched" })
        await client.call("setBackfill", { seats: 3 })
        await trial.control.advance(3 * secondMs)
        await client.leave()
        await trial.control.advance(secondMs)
        await stage.rooms.asleep(room)
      }
      await offers("fresh")
      const sent = await stage.queues()
      await trial.control.advance(passMs)
      const [found] = await stage.meet("a player and a fresh room", [sent])
      same("the room", found?.roomId, "fresh")
      await offers("stale")
      await trial.control.advance(freshMs)
      const waits = await stage.queues()
      await trial.control.advance(passMs)
      await stage.stand("a player beside a stale room", [waits], "waiting")
    }
  )

/** Two players with ratings so far apart; they queue at the same moment. */
const pairApart = async (
  stage: MatchStage,
  { trial, from = 1500 }: { readonly trial: Trial; readonly from?: number },
  apart: number
) => {
  const tickets = []
  for (const rating of [from, from + apart]) {
    const { playerId: player, token: identity } = await stage.player()
    await trial.control.rate(stage.projectId, { queue: queueName, player, rating })
    tickets.push(await stage.queues({ identity, waitMs: 2 * minuteMs }))
  }
  return tickets
}

/** Players so far apart wait so long, and then meet by the next pass. */
const meetsAfter = async (
  stage: MatchStage,
  trial: Trial,
  { apart, waitedMs }: { readonly apart: number; readonly waitedMs: number }
): Promise<void> => {
  const what = `players ${apart} points apart`
  const tickets = await pairApart(stage, { trial }, apart)
  if (waitedMs > 0) {
    await trial.control.advance(waitedMs - 1)
    await stage.stand(`${what} before ${waitedMs} ms`, tickets, "waiting")
  }
  await trial.control.advance(passMs + 1)
  await stage.meet(`${what} after ${waitedMs} ms`, tickets)
}

const skilled = { size: 2, skill: true }

export const bandStart = (band: number): Probe =>
  timed(
    `players ${band} points apart meet at once, one point more do not`,
    skilled,
    async (stage, trial) => {
      await meetsAfter(stage, trial, { apart: band, waitedMs: 0 })
      const tickets = await pairApart(stage, { trial }, band + 1)
      await trial.control.advance(3 * passMs)
      await stage.stand(`players ${band + 1} points apart`, tickets, "waiting")
    }
  )

export const bandGrowth = (step: number, everyMs: number): Probe =>
  timed(`the band grows by ${step} every ${everyMs} ms`, skilled, async (stage, trial) => {
    await meetsAfter(stage, trial, { apart: 100 + step, waitedMs: everyMs })
    await meetsAfter(stage, trial, { apart: 101 + step, waitedMs: 2 * everyMs })
  })

export const bandUnbounded = (afterMs: number): Probe =>
  timed(`from ${afterMs} ms on any two players meet`, skilled, (stage, trial) =>
    meetsAfter(stage, trial, { apart: 100_000, waitedMs: afterMs })
  )

/** Rating-based matching is off without `skill`. */
export const skillTurnsOn: Probe = {
  title: "with skill players who are far apart wait, without it they meet",
  needs: ["match", "ratings", "fixture", "seed"],
  run: async (trial) => {
    await withQueue({ size: 2 }, async (stage) => {
      await stage.meet("players without skill", await pairApart(stage, { trial }, 1000))
    })(trial)
    await withQueue(skilled, async (stage) => {
      const tickets = await pairApart(stage, { trial }, 1000)
      const near = await pairApart(stage, { trial, from: 9000 }, 50)
      await stage.meet("players who are near", near)
      await stage.stand("players who are far apart", tickets, "waiting")
      trial.saw("behaviour rating-based matching")
    })(trial)
  }
}
