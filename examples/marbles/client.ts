import { Client } from "@atrium/sdk/client"

import { Camera, type Point } from "./Camera.ts"
import { Controls } from "./Controls.ts"
import { Hud, nameOf } from "./Hud.ts"
import { nearestTo } from "./Memory.ts"
import { type DrawnMarble, Picture } from "./Picture.ts"
import { marbles } from "./schema.ts"
import { reachOf, Shots } from "./Shots.ts"
import { ownIn, predictMarbles } from "./Steering.ts"
import type { Heading } from "./World.ts"

const element = <E extends Element>(id: string, kind: new () => E): E => {
  const found = document.getElementById(id)
  if (found instanceof kind) return found
  throw new Error(`the page has no ${id}`)
}

/** What index.html says in its `<meta>`; the build writes the service and the project there. */
const setting = (name: string): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="atrium-${name}"]`)?.content ?? ""

const notice = element("notice", HTMLParagraphElement)
const shootButton = element("shoot", HTMLButtonElement)
const toldBox = element("told", HTMLInputElement)
const canvas = element("disc", HTMLCanvasElement)
element("second", HTMLAnchorElement).href = location.href

/** Says in the page why there is no game, and stops. */
const give = (why: string, error: unknown): never => {
  notice.textContent = `${why}: ${error instanceof Error ? error.message : String(error)}`
  throw error
}

const camera = new Camera()
const picture = ((): Picture => {
  try {
    return new Picture(canvas, camera)
  } catch (error) {
    return give("The disc cannot be drawn", error)
  }
})()
const hud = new Hud({
  names: element("names", HTMLDivElement),
  scores: element("scores", HTMLOListElement),
  clock: element("clock", HTMLParagraphElement),
  news: element("news", HTMLParagraphElement)
})

// Every tab is a player of its own.
const client = new Client(setting("service") || location.origin, {
  project: setting("project") || "dev",
  identity: "tab"
})
notice.textContent = "Joining …"
const room = await client
  .joinOrCreate(marbles)
  .catch((error: unknown) => give("The disc is closed", error))
const prediction = await predictMarbles(room).catch((error: unknown) =>
  give("This browser cannot simulate", error)
)
notice.textContent = ""
// To look at in the console of the browser: what the room has told, and what this page has simulated.
Object.assign(globalThis, { marbles: { room, prediction } })

room.onDrop(() => (notice.textContent = "The connection is gone. Trying again …"))
room.onReconnect(() => (notice.textContent = ""))
room.onLeave((_code, reason) => (notice.textContent = `You have left the disc: ${reason}`))
room.onError((_code, message) => (notice.textContent = message))

const placeOf = (id: number): Point | undefined => prediction.pose("marbles", id)?.position
const placed = () =>
  [...room.state.marbles].flatMap(({ id, seat }) => {
    const at = placeOf(id)
    return at === undefined ? [] : [{ id, seat, x: at.x, y: at.y, z: at.z }]
  })

const shots = new Shots()
let loadedAtMs = 0
/** The room counts in ticks; so long does a shot take to be loaded here. */
const LoadMs = 1200

const shoot = (): void => {
  const nowMs = performance.now()
  const all = placed()
  const own = all.find(({ id }) => id === ownIn(room)?.id)
  if (own === undefined || !room.connected || nowMs < loadedAtMs) return
  const pointed = controls.aim === null ? null : camera.placeAt(controls.aim)
  const at = pointed ?? nearestTo(own, all)
  if (at === undefined) return
  const length = Math.hypot(at.x - own.x, at.z - own.z)
  if (length === 0) return
  const dir = { x: (at.x - own.x) / length, z: (at.z - own.z) / length }
  loadedAtMs = nowMs + LoadMs
  // The tick of the picture: the room looks at its marbles of then.
  room.send("shoot", { tick: Math.round(prediction.moment), ...dir })
  const others = all.filter(({ id }) => id !== own.id)
  shots.add({ seat: own.seat, from: own, to: reachOf(own, dir, others), atMs: nowMs })
}
const controls = new Controls({ canvas, shoot: shootButton }, shoot)

room.onMessage("shot", ({ from, hit, x, z, units }) => {
  const own = ownIn(room)
  const shooter = room.state.marbles.get(from)
  const victim = room.state.marbles.get(hit)
  if (shooter === undefined) return
  if (from === own?.id) {
    if (victim !== undefined) hud.tell(`You have hit ${nameOf(victim)}: +1`)
    return
  }
  if (victim !== undefined && hit === own?.id) hud.tell(`${nameOf(shooter)} has hit you`)
  const at = placeOf(from) ?? shooter
  const to = placeOf(hit) ?? { x: at.x + x * units, y: at.y, z: at.z + z * units }
  shots.add({ seat: shooter.seat, from: at, to, atMs: performance.now() })
})

room.onMessage("fell", ({ marble, by }) => {
  const own = ownIn(room)
  const [fallen, pusher] = [room.state.marbles.get(marble), room.state.marbles.get(by)]
  if (fallen === undefined) return
  if (by !== 0 && by === own?.id) hud.tell(`You have pushed ${nameOf(fallen)} off: +3`)
  else if (marble !== own?.id) return
  else hud.tell(pusher === undefined ? "You fell off" : `${nameOf(pusher)} has pushed you off`)
})

let sent: Heading = { x: 0, z: 0 }
// A player who drops stands still.
room.onDrop(() => (sent = { x: 0, z: 0 }))
const sendHeading = (): void => {
  const { x, z } = controls.heading
  if (!room.connected || ownIn(room) === undefined || (x === sent.x && z === sent.z)) return
  sent = { x, z }
  room.send("steer", { ...prediction.input(sent), x, z })
}

const night = matchMedia("(prefers-color-scheme: dark)")
let drawnAtMs = performance.now()
const frame = (nowMs: number): void => {
  sendHeading()
  prediction.update()
  const own = ownIn(room)
  const drawn = [...room.state.marbles].flatMap((marble): ReadonlyArray<DrawnMarble> => {
    const pose = prediction.pose("marbles", marble)
    if (pose === undefined) return []
    hud.name(marble, pose.position, camera)
    return [{ seat: marble.seat, away: marble.away, ...pose }]
  })
  const scene = {
    marbles: drawn,
    shots: shots.shown(nowMs),
    own: own === undefined ? null : (placeOf(own.id) ?? null),
    told: own === undefined || !toldBox.checked ? null : own
  }
  picture.draw(scene, { dark: night.matches, elapsedMs: nowMs - drawnAtMs })
  drawnAtMs = nowMs
  hud.show(room.state, own, 30)
  hud.forget(room.state)
  shootButton.disabled = nowMs < loadedAtMs
  requestAnimationFrame(frame)
}
requestAnimationFrame(frame)
