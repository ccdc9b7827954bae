import { randomBytes } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"

import { NotInTime, until } from "@atrium/domain/testing/Until"
import { Client, JoinError } from "@atrium/sdk/client"

import { arena } from "../examples/arena/schema.ts"
import { timeUp } from "./demo/Deadline.ts"
import { DemoPlayer } from "./demo/DemoPlayer.ts"
import { DemoError, type DemoService } from "./demo/DemoService.ts"
import { findService } from "./demo/FindService.ts"
import { stopOwnServices } from "./demo/OwnService.ts"
import { play, remarks } from "./demo/Play.ts"
import { roomCounts } from "./demo/RoomCounts.ts"
import { Screen } from "./demo/Screen.ts"

/** `npm run demo`: two players share a room, leave, it sleeps, and one finds it as it was left. */

const longestMs = 90_000
/** Time for one step of the demo that needs no sleep of the room. */
const stepMs = 5000
const countEveryMs = 200
const screen = new Screen(process.stdout, process.env)
const proven = (text: string): void => screen.say(`  ${screen.paint("✓", "green")} ${text}`)
const told = (text: string): void => screen.say(`  ${screen.paint(text, "dim")}`)

interface Left {
  readonly coins: string
  readonly collected: number
  /** The highest id that a player had. */
  readonly lastId: number
}

const show = async (service: DemoService): Promise<void> => {
  const { url, project, origin } = service
  const roomId = `demo-${randomBytes(6).toString("hex")}`
  screen.say("")
  screen.say(`  service  ${url} (${origin})`)
  screen.say(`  project  ${project}`)
  screen.say(`  room     ${roomId}, of type ${arena.type}`)
  screen.say("")
  const join = (mark: string): Promise<DemoPlayer> =>
    DemoPlayer.join(new Client(url, { project }), { mark, roomId })
  const a = await join("A")
  const b = await join("B")
  await play([a, b], screen)
  screen.say("")
  await proveShared(a, b)
  const left = await leave(a, b)
  await proveAsleep(url)
  const askedAtMs = performance.now()
  const back = await join("A")
  proveSame(back, left, performance.now() - askedAtMs)
  await back.room.leave()
}

/** Both clients had the same state after the same patch, and heard each other. */
const proveShared = async (a: DemoPlayer, b: DemoPlayer): Promise<void> => {
  const same = await until(
    "the same state on both clients",
    () => [...a.hashes].findLast(([tick, hash]) => b.hashes.get(tick) === hash),
    stepMs
  )
  for (const [tick, hash] of a.hashes) {
    const other = b.hashes.get(tick)
    if (other !== undefined && other !== hash) {
      throw new DemoError(`the two clients differ at tick ${tick}: ${hash} and ${other}`)
    }
  }
  proven(`A and B saw the same: state ${same[1]} at tick ${same[0]}, after ${a.patches} patches`)
  // The speakers claimed no `from`: it is the room that names them.
  const speakers = remarks.map(({ by }) => [a, b][by]?.self?.id).join()
  for (const { mark, heard } of [a, b]) {
    await until(
      `${mark} hears the chat, with the right speakers`,
      () => heard.map(({ from }) => from).join() === speakers,
      stepMs
    )
  }
  proven(`both heard all ${remarks.length} lines of chat, and from the room who spoke`)
}

/** B leaves, then A; what A saw last is what has to be there again. */
const leave = async (a: DemoPlayer, b: DemoPlayer): Promise<Left> => {
  const ids = [...a.room.state.players].map(({ id }) => id)
  await b.room.leave()
  await until("A sees that B is gone", () => a.room.state.players.size === 1, stepMs)
  proven("B left, and A saw it")
  a.stand()
  await atRest(a)
  const left = { ...seen(a), lastId: Math.max(...ids) }
  await a.room.leave()
  proven(`A left last: ${a.room.state.coins.size} coins lie there, ${left.collected} are collected`)
  return left
}

/** Nothing changes any more: no patch came while several ticks went by. */
const atRest = async (player: DemoPlayer): Promise<void> => {
  const restMs = 400
  let last = { patches: -1, sinceMs: 0 }
  const rests = (): boolean => {
    const nowMs = performance.now()
    if (last.patches !== player.patches) last = { patches: player.patches, sinceMs: nowMs }
    return nowMs - last.sinceMs >= restMs && player.self?.dx === 0
  }
  await until("the arena at rest", rests, stepMs)
}

const seen = ({ room }: DemoPlayer): Omit<Left, "lastId"> => ({
  coins: JSON.stringify(room.state.coins),
  collected: room.state.score.collected
})

/** The service counts one more sleeping room when ours is due. Nothing tells a client more. */
const proveAsleep = async (url: string): Promise<void> => {
  const idleMs = arena.hibernateAfterMs
  const leftAtMs = performance.now()
  told(`an empty ${arena.type} sleeps after ${idleMs / 1000} s; waiting …`)
  let last = await roomCounts(url)
  const slept = await until(
    "the room asleep",
    async () => {
      await wait(countEveryMs)
      const now = await roomCounts(url)
      const before = last
      last = now
      const due = performance.now() - leftAtMs > idleMs * 0.9
      return due && now.hibernated > before.hibernated ? { before, now } : null
    },
    idleMs + 20_000
  )
  const { before, now } = slept
  const waitedMs = performance.now() - leftAtMs
  proven(
    `asleep after ${Math.round(waitedMs / 1000)} s: by the service's count, rooms hibernated ` +
      `${before.hibernated} -> ${now.hibernated}, awake ${before.awake} -> ${now.awake}`
  )
}

const proveSame = (back: DemoPlayer, left: Left, wakeMs: number): void => {
  const now = seen(back)
  if (now.collected !== left.collected) {
    throw new DemoError(`${now.collected} coins are collected, but ${left.collected} were`)
  }
  if (now.coins !== left.coins) {
    throw new DemoError(`the coins lie elsewhere:\n${now.coins}\n${left.coins}`)
  }
  const id = back.self?.id ?? 0
  if (id <= left.lastId) throw new DemoError(`the id ${id} was used before the room slept`)
  proven(`A came back: awake and joined in ${Math.round(wakeMs)} ms`)
  proven(`every coin lies where it lay, ${now.collected} are collected, and no id is used twice`)
}

const sentence = (error: unknown): string =>
  error instanceof DemoError || error instanceof JoinError || error instanceof NotInTime
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error)

let leaving = false
for (const [signal, code] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129]
] as const) {
  process.on(signal, async () => {
    if (leaving) process.exit(code)
    leaving = true
    await stopOwnServices()
    process.exit(code)
  })
}

const run = async (): Promise<number> => {
  try {
    const shown = async (): Promise<void> => {
      await show(await findService(process.argv.slice(2), process.env))
    }
    await Promise.race([shown(), timeUp(longestMs)])
    screen.say("")
    return 0
  } catch (error) {
    if (!leaving) console.error(`\n${screen.paint("the demo failed:", "red")} ${sentence(error)}`)
    return 1
  }
}

const code = await run()
if (!leaving) {
  leaving = true
  await stopOwnServices()
  process.exit(code)
}
