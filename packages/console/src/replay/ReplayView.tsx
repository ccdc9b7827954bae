import { type Signal, useSignal } from "@preact/signals"
import { useEffect, useRef, useState } from "preact/hooks"

import { Empty } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { nodesOf } from "../room/StateNode.ts"
import { StateTree } from "../room/StateTree.tsx"
import { ownRefusal, type Refusal } from "../service/Service.ts"
import { clockText } from "./ClockText.ts"
import type { Controls } from "./Controls.ts"
import { useKeys } from "./Keys.ts"
import { MessageList } from "./MessageList.ts"
import { PlaceMap } from "./PlaceMap.tsx"
import { placesOf } from "./Places.ts"
import type { AnyReplay } from "./Shown.ts"
import { TimeLine } from "./TimeLine.tsx"

/** What the parts of the page look at. Each grows when there is something new to draw. */
interface Looks {
  /** With each picture of the screen while it plays, and with each seek. */
  readonly position: Signal<number>
  readonly playing: Signal<boolean>
  readonly speed: Signal<number>
  /** A few times a second, while the state changes. */
  readonly state: Signal<number>
  readonly refusal: Signal<Refusal | null>
}

/** The tree is drawn anew after so much time: it has thousands of values, and no reader is faster. */
const treeMs = 250

/** A replay that is open: its time line, its entities on a map, its state and its messages. */
export const ReplayView = ({ replay }: { replay: AnyReplay }) => {
  const looks: Looks = {
    position: useSignal(replay.positionMs),
    playing: useSignal(false),
    speed: useSignal(replay.speed),
    state: useSignal(0),
    refusal: useSignal<Refusal | null>(null)
  }
  const [messages] = useState(() => new MessageList())
  useEffect(() => follow(replay, looks, messages), [replay])
  const controls = controlsOf(replay, looks)
  useKeys(replay, controls)
  const { position, playing, speed, state, refusal } = looks
  // The parts below are drawn with `state`. A map that was there once stays, with its area.
  const hasMap = useRef(false)
  hasMap.current = state.value >= 0 && (hasMap.current || placesOf(replay.state).length > 0)
  return (
    <>
      <TimeLine
        replay={replay}
        position={position}
        isPlaying={playing}
        speed={speed}
        controls={controls}
      />
      {refusal.value !== null && (
        <Fault refusal={refusal.value} again={() => controls.play(true)} />
      )}
      <div class="panels">
        {hasMap.current && (
          <Panel title="Map">
            <PlaceMap replay={replay} position={position} state={state} />
          </Panel>
        )}
        <div class="pair">
          <Panel title="State">
            <Tree replay={replay} />
          </Panel>
          <Panel title="Messages">
            <Messages list={messages} />
          </Panel>
        </div>
      </div>
    </>
  )
}

const controlsOf = (replay: AnyReplay, { position, playing, speed, refusal }: Looks): Controls => ({
  play: (wanted) => {
    refusal.value = null
    if (wanted) replay.play()
    else replay.pause()
    playing.value = !replay.paused
  },
  seek: (toMs) => {
    refusal.value = null
    replay.seek(toMs).catch((error: unknown) => {
      const { code, message } = Object(error)
      refusal.value = ownRefusal({ code: String(code), message: String(message) })
      playing.value = false
      position.value = replay.positionMs
    })
    position.value = replay.positionMs
  },
  speed: (to) => {
    replay.speed = to
    speed.value = to
    playing.value = !replay.paused
  }
})

/** Tells the page what the replay does, for as long as it is shown. */
const follow = (
  replay: AnyReplay,
  { position, playing, state, refusal }: Looks,
  messages: MessageList
): (() => void) => {
  let [changed, drawnAtMs, frame] = [true, 0, 0]
  const draw = (nowMs: number): void => {
    frame = requestAnimationFrame(draw)
    position.value = replay.positionMs
    if (!changed || nowMs - drawnAtMs < treeMs) return
    changed = false
    drawnAtMs = nowMs
    state.value++
  }
  const stops = [
    replay.onStateChange(() => (changed = true)),
    replay.onMessage("*", (name, payload) => {
      messages.add({ atMs: replay.positionMs, name, payload })
      changed = true
    }),
    replay.onEnd(() => (playing.value = false)),
    replay.onError((code, message) => {
      refusal.value = ownRefusal({ code, message })
      playing.value = false
    })
  ]
  frame = requestAnimationFrame(draw)
  return () => {
    cancelAnimationFrame(frame)
    for (const stop of stops) stop()
  }
}

const Tree = ({ replay }: { replay: AnyReplay }) => {
  const nodes = nodesOf(replay.state)
  if (nodes.length > 0) return <StateTree nodes={nodes} />
  return (
    <Empty title="This room type has no state.">
      <p>Its schema declares neither singletons nor entities that everybody sees.</p>
    </Empty>
  )
}

const Messages = ({ list }: { list: MessageList }) => {
  const lines = list.lines()
  if (lines.length === 0) {
    return (
      <Empty title="No message yet.">
        <p>Messages to everybody come here while it plays.</p>
      </Empty>
    )
  }
  return (
    <ol class="log">
      {lines.map(({ key, atMs, name, text }) => (
        <li key={key} class="line said">
          <span class="when">{clockText(atMs)}</span>
          <span class="level">
            <Tenant text={name} max={64} />
          </span>
          <span>
            <Tenant text={text} max={400} />
          </span>
        </li>
      ))}
    </ol>
  )
}
