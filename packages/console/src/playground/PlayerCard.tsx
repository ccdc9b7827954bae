import type { SchemaDescriptor } from "@atrium/sdk/schema"
import { useSignal } from "@preact/signals"
import { useLayoutEffect, useRef } from "preact/hooks"

import { Moment } from "../parts/Moment.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { StateTree } from "../room/StateTree.tsx"
import { CallForm } from "./CallForm.tsx"
import type { Standing, TestPlayer } from "./TestPlayer.ts"

interface Props {
  readonly player: TestPlayer
  readonly descriptor: SchemaDescriptor
  readonly onGone: () => void
}

const tones: Readonly<Record<Standing, string>> = {
  joining: "busy",
  connected: "good",
  lost: "bad",
  left: "asleep"
}

/** One test player: its line, what it sees, what it may do, and what came of it. */
export const PlayerCard = ({ player, descriptor, onGone }: Props) => {
  const standing = player.standing.value
  return (
    <section class="panel player" aria-label={`Player ${player.number}`}>
      <header>
        <h2>Player {player.number}</h2>
        <span class={`status ${tones[standing]}`}>{standing}</span>
        <code class="player-id">{player.playerId.value}</code>
        <span class="tools">
          <button
            type="button"
            class="quiet small"
            onClick={() => {
              void player.leave()
              onGone()
            }}
          >
            {standing === "left" ? "Remove" : "Leave"}
          </button>
        </span>
      </header>
      <Weather player={player} disabled={standing === "left"} />
      <details open>
        <summary>State</summary>
        {player.state.value.length === 0 ? (
          <p class="sub-line">{standing === "joining" ? "On its way…" : "Nothing."}</p>
        ) : (
          <StateTree nodes={player.state.value} />
        )}
      </details>
      <details open>
        <summary>Calls and messages</summary>
        <Calls player={player} descriptor={descriptor} />
      </details>
      <details open>
        <summary>What happened</summary>
        <Happenings player={player} />
      </details>
    </section>
  )
}

const latencies = [0, 50, 150, 500, 2000] as const

const Weather = ({ player, disabled }: { player: TestPlayer; disabled: boolean }) => {
  const stalled = useSignal(false)
  return (
    <div class="filters">
      <select
        class="small"
        aria-label="Added latency, one way"
        disabled={disabled}
        onChange={({ currentTarget }) => {
          player.transport.latencyMs = Number(currentTarget.value)
        }}
      >
        {latencies.map((ms) => (
          <option key={ms} value={ms}>
            {ms === 0 ? "No delay" : `+${ms} ms each way`}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="quiet small"
        aria-pressed={stalled.value}
        disabled={disabled}
        onClick={() => {
          stalled.value = !stalled.value
          player.transport.stalled = stalled.value
        }}
      >
        Stall
      </button>
      <button
        type="button"
        class="quiet small"
        disabled={disabled}
        onClick={() => player.transport.drop()}
      >
        Drop the connection
      </button>
    </div>
  )
}

interface CallsProps {
  readonly player: TestPlayer
  readonly descriptor: SchemaDescriptor
}

const Calls = ({ player, descriptor: { rpc, messages } }: CallsProps) => {
  const onFault = (error: unknown): void => player.refuse(error)
  if (rpc.client.length === 0 && messages.length === 0) {
    return <p class="sub-line">The schema declares neither calls nor messages.</p>
  }
  return (
    <div class="calls">
      {rpc.client.map(({ name, args }) => (
        <CallForm
          key={`rpc ${name}`}
          name={name}
          fields={args}
          act="Call"
          onAct={(value) => void player.request(name, value)}
          onFault={onFault}
        />
      ))}
      {messages.map(({ name, fields }) => (
        <CallForm
          key={`msg ${name}`}
          name={name}
          fields={fields ?? "untyped"}
          act="Send"
          onAct={(value) => player.send(name, value)}
          onFault={onFault}
        />
      ))}
    </div>
  )
}

const Happenings = ({ player }: { player: TestPlayer }) => {
  const box = useRef<HTMLDivElement>(null)
  const seen = player.seen.value
  useLayoutEffect(() => {
    const { current } = box
    if (current !== null) current.scrollTop = current.scrollHeight
  }, [seen])
  return (
    <div class="log seen" ref={box} tabIndex={0} role="log" aria-live="off" aria-label="Frames">
      {seen.map(({ key, atMs, kind, text }) => (
        <p key={key} class={kind === "refusal" ? "line error" : "line"}>
          <span class="when">
            <Moment at={atMs} as="time" />
          </span>
          <span class="level">{signs[kind]}</span>
          <span>
            <Tenant text={text} max={300} />
          </span>
        </p>
      ))}
    </div>
  )
}

const signs = { sent: "→", received: "←", answer: "is", refusal: "no", note: "·" } as const
