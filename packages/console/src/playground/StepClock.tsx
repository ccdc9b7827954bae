import { DayMs, HourMs, MinuteMs } from "@atrium/wire/limits/Limit"
import { useSignal } from "@preact/signals"

import { Fault } from "../parts/Fault.tsx"
import { Moment } from "../parts/Moment.tsx"
import { Panel } from "../parts/Panel.tsx"
import { roomPath } from "../room/RoomPath.ts"
import { useActs } from "../service/Acts.ts"

const steps = [
  { by: "1m", ms: MinuteMs },
  { by: "10m", ms: 10 * MinuteMs },
  { by: "1h", ms: HourMs },
  { by: "1d", ms: DayMs }
] as const

interface Props {
  readonly project: string
  readonly roomId: string
}

/** Moves the clock of an awake room of `dev` forward. Source: C-811. */
export const StepClock = ({ project, roomId }: Props) => {
  const chosen = useSignal<(typeof steps)[number]>(steps[0])
  const at = useSignal<string | null>(null)
  const { works, refused, act } = useActs()
  const request = {
    method: "POST",
    path: `${roomPath(project, roomId)}/clock`,
    body: { stepMs: chosen.value.ms }
  } as const
  const step = async (): Promise<void> => {
    const answer = await act<{ readonly at: string }>(request)
    if (answer !== null) at.value = answer.at
  }
  return (
    <Panel
      title="Clock"
      asked={{ ...request, credential: "login" }}
      command={{
        words: ["rooms", "step-clock"],
        flags: { project },
        values: [roomId, chosen.value.by]
      }}
    >
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          void step()
        }}
      >
        <select
          aria-label="How far the clock goes"
          value={chosen.value.by}
          onChange={({ currentTarget }) =>
            (chosen.value = steps.find(({ by }) => by === currentTarget.value) ?? steps[0])
          }
        >
          {steps.map(({ by }) => (
            <option key={by} value={by}>
              {by}
            </option>
          ))}
        </select>
        <button class="quiet" disabled={works.value}>
          Step the clock
        </button>
        <span role="status">
          {at.value !== null && (
            <>
              It was <Moment at={at.value} as="time" /> in the room then.
            </>
          )}
        </span>
      </form>
      {refused.value !== null && <Fault refusal={refused.value} />}
      <p class="sub-line">
        Alarms and timers that are due go off. After its sleep the room has the service's time.
      </p>
    </Panel>
  )
}
