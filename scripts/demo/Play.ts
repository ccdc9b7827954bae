import { setTimeout as wait } from "node:timers/promises"

import { Plane } from "../../examples/arena/schema.ts"
import { arenaPicture } from "./ArenaPicture.ts"
import type { DemoPlayer } from "./DemoPlayer.ts"
import type { Screen } from "./Screen.ts"

const playForMs = 5000
const frameEveryMs = 100
const lineEveryMs = 500
const chatLinesShown = 3
const size = { columns: 66, rows: 18 }

interface Remark {
  readonly atMs: number
  readonly by: 0 | 1
  readonly text: string
}

/** What the two say during a game. */
export const remarks: ReadonlyArray<Remark> = [
  { atMs: 500, by: 0, text: "hello, who is faster?" },
  { atMs: 1500, by: 1, text: "me, watch this" },
  { atMs: 3500, by: 0, text: "that one was mine!" }
]

/** Two players run after coins for five seconds, to be seen on the screen. */
export const play = async (
  players: readonly [DemoPlayer, DemoPlayer],
  screen: Screen
): Promise<void> => {
  const startedAtMs = performance.now()
  let told = 0
  let linesAtMs = 0
  for (;;) {
    const atMs = performance.now() - startedAtMs
    const [a, b] = players
    a.chase(null)
    b.chase(a)
    for (; (remarks[told]?.atMs ?? Infinity) <= atMs; told += 1) {
      const remark = remarks[told]
      if (remark !== undefined) players[remark.by].say(remark.text)
    }
    if (screen.live) screen.draw(frame(players, { screen, atMs }))
    else if (atMs >= linesAtMs) {
      linesAtMs += lineEveryMs
      screen.say(line(players, atMs))
    }
    if (atMs >= playForMs) return
    await wait(frameEveryMs)
  }
}

const colours = ["green", "magenta"] as const

const frame = (
  players: readonly [DemoPlayer, DemoPlayer],
  { screen, atMs }: { readonly screen: Screen; readonly atMs: number }
): ReadonlyArray<string> => {
  // What the first client was sent is what is drawn: nothing here knows the room itself.
  const { state } = players[0].room
  const seen = players.flatMap(({ self, mark }) =>
    self === undefined ? [] : [{ mark, x: self.x, y: self.y }]
  )
  const paintCell = (cell: string): string => {
    const player = players.findIndex(({ mark }) => mark === cell)
    const colour = colours[player]
    return colour === undefined ? screen.paint(cell, "yellow") : screen.paint(cell, colour)
  }
  const picture = arenaPicture({ plane: Plane, coins: state.coins, players: seen }, size)
  const marks = new RegExp(`[o${players.map(({ mark }) => mark).join("")}]`, "g")
  const scores = players.map(({ self, mark }, at) =>
    screen.paint(`${mark} ${self?.coins ?? 0}`, colours[at] ?? "bold")
  )
  const chat = players[1].heard
    .slice(-chatLinesShown)
    .map(({ from, text }) => `  ${markOf(players, from)}: ${text}`)
  while (chat.length < chatLinesShown) chat.push("")
  return [
    `  ${scores.join("   ")}   coins ${state.score.collected}   tick ${players[0].room.tick}   ${seconds(atMs)}`,
    ...picture.map((row) => `  ${row.replace(marks, paintCell)}`),
    ...chat
  ]
}

const line = (players: readonly [DemoPlayer, DemoPlayer], atMs: number): string => {
  const places = players.map(({ self, mark }) =>
    self === undefined
      ? `${mark} -`
      : `${mark} at ${self.x.toFixed(1)},${self.y.toFixed(1)} coins ${self.coins}`
  )
  const said = players[1].heard.at(-1)
  const chat = said === undefined ? "" : `   ${markOf(players, said.from)}: ${said.text}`
  return `  ${seconds(atMs)}  ${places.join("   ")}${chat}`
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

const markOf = (players: ReadonlyArray<DemoPlayer>, id: number): string =>
  players.find(({ self }) => self?.id === id)?.mark ?? "?"
