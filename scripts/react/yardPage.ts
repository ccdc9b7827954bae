/** A page that counts how often each of its components renders. What it exports the test calls, over `window`. */
import { Client, type ClientRoom, type RecordOf } from "@atrium/sdk/client"
import { useField, useRecords, useRoom } from "@atrium/sdk/react"
import { createElement, memo } from "react"
import { createRoot } from "react-dom/client"

import { yard } from "./yardSchema.ts"

type Yard = ClientRoom<typeof yard>

interface OfPlayer {
  readonly room: Yard
  readonly player: RecordOf<typeof yard, "players">
}

let renders: Record<string, number> = {}

const counted = (name: string): void => {
  renders[name] = (renders[name] ?? 0) + 1
}

const Hp = memo(({ room, player }: OfPlayer) => {
  counted(`hp ${player.id}`)
  return createElement("b", { id: `hp${player.id}` }, useField(room, player, "hp"))
})

const Bag = memo(({ room, player }: OfPlayer) => {
  counted(`bag ${player.id}`)
  const bag = useField(room, player, "bag")
  const things = [...bag].map(([name, { count }]) => `${count} ${name}`)
  return createElement("i", { id: `bag${player.id}` }, things.join())
})

const Player = memo(({ room, player }: OfPlayer) => {
  counted(`player ${player.id}`)
  const name = useField(room, player, "name")
  const parts = [Hp, Bag].map((part, key) => createElement(part, { key, room, player }))
  return createElement("li", {}, name, ...parts)
})

const Players = ({ room }: { readonly room: Yard }) => {
  counted("players")
  const players = useRecords(room, "players")
  return players.map((player) => createElement(Player, { key: player.id, room, player }))
}

const Weakest = ({ room }: { readonly room: Yard }) => {
  counted("weakest")
  const players = useRecords(room, "players", ["hp"])
  const names = players.toSorted((a, b) => a.hp - b.hp).map(({ name }) => name)
  return createElement("p", { id: "weakest" }, names.join())
}

const Red = ({ room }: { readonly room: Yard }) => {
  counted("red")
  return createElement("p", { id: "red" }, useField(room, "score", "red"))
}

const Page = ({ join }: { readonly join: () => Promise<Yard> }) => {
  counted("page")
  const { status, room } = useRoom(join, [])
  const parts =
    room === null
      ? []
      : [Players, Weakest, Red].map((part, key) => createElement(part, { key, room }))
  return createElement("main", { id: status }, ...parts)
}

const start = (url: string, project: string) => {
  const client = new Client(url, { project, identity: "tab" })
  const root = createRoot(document.body)
  const join = () => client.joinOrCreate(yard, { roomId: "yard" })
  root.render(createElement(Page, { join }))
  return {
    /** How often each component has rendered since the last time. */
    renders: () => {
      const counts = renders
      renders = {}
      return counts
    },
    textOf: (id: string) => document.getElementById(id)?.textContent ?? null,
    unmount: () => root.unmount()
  }
}

export type YardPage = ReturnType<typeof start>

declare global {
  interface Window {
    start: typeof start
    yardPage: YardPage
  }
}
window.start = start
