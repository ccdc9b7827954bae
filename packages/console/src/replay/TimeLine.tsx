import type { Signal } from "@preact/signals"

import { clockText } from "./ClockText.ts"
import { type Controls, speeds } from "./Controls.ts"
import type { AnyReplay } from "./Shown.ts"

interface Props {
  readonly replay: AnyReplay
  readonly position: Signal<number>
  readonly isPlaying: Signal<boolean>
  readonly speed: Signal<number>
  readonly controls: Controls
}

/** The time line of a replay, with what moves along it. */
export const TimeLine = ({ replay, position, isPlaying, speed, controls }: Props) => {
  const [positionMs, playing] = [position.value, isPlaying.value]
  return (
    <section class="panel time-line" aria-label="Time line">
      <button
        type="button"
        class="play"
        aria-label={playing ? "Pause" : "Play"}
        title={`${playing ? "Pause" : "Play"} (space)`}
        onClick={() => controls.play(!playing)}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path
            d={playing ? "M4 3h3v10H4zM9 3h3v10H9z" : "M4.5 2.5v11l9-5.5z"}
            fill="currentColor"
          />
        </svg>
      </button>
      <input
        type="range"
        aria-label="Position"
        aria-valuetext={`${clockText(positionMs)} of ${clockText(replay.durationMs)}`}
        min={0}
        max={Math.max(1, Math.round(replay.durationMs))}
        step={stepMs}
        value={Math.round(positionMs)}
        onInput={({ currentTarget }) => controls.seek(currentTarget.valueAsNumber)}
      />
      <span class="clock">
        {clockText(positionMs)} <span class="faint">/ {clockText(replay.durationMs)}</span>
      </span>
      <select
        class="small"
        aria-label="Speed"
        value={String(speed.value)}
        onChange={({ currentTarget }) => controls.speed(Number(currentTarget.value))}
      >
        {speeds.map((each) => (
          <option key={each} value={String(each)}>
            {each}×
          </option>
        ))}
      </select>
      <p class="faint keys-line">
        <kbd>space</kbd> plays and pauses, <kbd>←</kbd> <kbd>→</kbd> move by five seconds,{" "}
        <kbd>,</kbd> <kbd>.</kbd> by a tenth, <kbd>&lt;</kbd> <kbd>&gt;</kbd> change the speed.
      </p>
    </section>
  )
}

const stepMs = 1
