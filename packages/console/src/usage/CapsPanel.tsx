import type { Meter } from "@atrium/domain/meters/Caps"
import type { Caps } from "@atrium/domain/meters/CapsApi"
import type { Usage } from "@atrium/domain/meters/UsageApi"
import { useSignal } from "@preact/signals"

import { Fault } from "../parts/Fault.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { useActs } from "../service/Acts.ts"
import type { Read } from "../service/Reads.ts"
import type { Asked, Command } from "../shell/Equivalents.ts"
import { type BurnDown, burnDown } from "./BurnDown.ts"
import { BurnDownPlot, dayText, whenText } from "./BurnDownPlot.tsx"
import { amountText, meterNames, meters, typedAmount, typedText, typedUnit } from "./MeterText.ts"

interface Props {
  readonly project: string
  readonly caps: Read<Caps>
  readonly usage: Read<Usage>
}

/** A ceiling that is being typed. */
interface Typed {
  readonly meter: Meter
  readonly text: string
}

/** Each cap as it burns down, and the owner's own ceilings. */
export const CapsPanel = ({ project, caps, usage }: Props) => {
  const path = `/v1/projects/${encodeURIComponent(project)}/caps`
  const typed = useSignal<Typed | null>(null)
  const { asked, command } = linesOf(path, project, typed.value)
  const days = usage.state.value.last?.value.days ?? []
  return (
    <ReadPanel
      title="Caps of this month"
      read={caps}
      asked={asked}
      command={command}
      tools={<span class="chip">{caps.state.value.last?.value.tier ?? "…"} plan</span>}
    >
      {(found, nowMs) => (
        <div class="caps">
          {meters.map((meter) => (
            <CapOf
              key={meter}
              meter={meter}
              caps={found}
              burn={burnDown({ meter, caps: found, days, nowMs })}
              nowMs={nowMs}
              text={typed.value?.meter === meter ? typed.value.text : null}
              onText={(text) => (typed.value = text === null ? null : { meter, text })}
              onDone={caps.again}
              path={path}
            />
          ))}
        </div>
      )}
    </ReadPanel>
  )
}

/** The lines that ask for what is shown, or that set the ceiling that is typed. */
const linesOf = (
  path: string,
  project: string,
  typed: Typed | null
): { readonly asked: Asked; readonly command: Command } => {
  const amount = typed === null ? null : typedAmount(typed.meter, typed.text)
  if (typed === null || amount === null) {
    return {
      asked: { method: "GET", path, credential: "login" },
      command: { words: ["caps"], flags: { project } }
    }
  }
  return {
    asked: {
      method: "PATCH",
      path,
      body: { caps: { [typed.meter]: amount } },
      credential: "login"
    },
    command: {
      words: ["caps", "set"],
      flags: { project },
      values: [typed.meter, String(amount)]
    }
  }
}

interface CapProps {
  readonly meter: Meter
  readonly caps: Caps
  readonly burn: BurnDown
  readonly nowMs: number
  /** The ceiling that is typed; `null` = none is. */
  readonly text: string | null
  readonly onText: (text: string | null) => void
  readonly onDone: () => void
  readonly path: string
}

const CapOf = ({ meter, caps, burn, nowMs, text, onText, onDone, path }: CapProps) => {
  const { used, allowance, ceiling, state } = caps.meters[meter]
  const [startMs, endMs] = [Date.parse(caps.period.start), Date.parse(caps.period.end)]
  return (
    <section class="cap" aria-label={meterNames[meter]}>
      <h3>
        {meterNames[meter]}{" "}
        {state !== "ok" && (
          <span class={`status ${state === "walled" ? "bad" : "busy"}`}>{state}</span>
        )}
      </h3>
      <p>
        <b>{amountText(meter, used)}</b>{" "}
        <span class="faint">of {amountText(meter, burn.bound)}</span>
      </p>
      <BurnDownPlot burn={burn} startMs={startMs} endMs={endMs} nowMs={nowMs} />
      <p class="burn-ends">
        <span>{dayText(startMs)}</span>
        <span>{dayText(endMs)} UTC</span>
      </p>
      <p>
        <Course meter={meter} burn={burn} nowMs={nowMs} />
      </p>
      <p class="faint">
        Allowance {amountText(meter, allowance)}, ceiling{" "}
        {ceiling === null ? "none" : amountText(meter, ceiling)}.
      </p>
      {text === null ? (
        <button
          type="button"
          class="quiet small"
          onClick={() => onText(ceiling === null ? "" : typedText(meter, ceiling))}
        >
          {ceiling === null ? "Set a ceiling" : "Change the ceiling"}
        </button>
      ) : (
        <Ceiling
          meter={meter}
          isSet={ceiling !== null}
          text={text}
          onText={onText}
          onDone={onDone}
          path={path}
        />
      )}
    </section>
  )
}

/** Where the use of the last days leads, in words. */
const Course = ({ meter, burn, nowMs }: Pick<CapProps, "meter" | "burn" | "nowMs">) => {
  const { isWall, perDay, reachedAtMs } = burn
  const mean = (
    <span class="under">
      {meter === "storageBytes" && perDay < 0
        ? "It has shrunk in the last 7 full days."
        : `${meter === "storageBytes" ? "Grows by" : "Mean of the last 7 full days:"} ${amountText(meter, perDay)} a day.`}
    </span>
  )
  if (reachedAtMs === null) {
    return (
      <>
        {isWall ? "No wall this period." : "No wall: past the allowance there are alerts alone."}
        {mean}
      </>
    )
  }
  const what = isWall ? "The wall" : "The allowance"
  return (
    <>
      <b class={isWall ? "wall" : ""} title={whenText(reachedAtMs)}>
        {reachedAtMs <= nowMs ? `${what} is reached.` : `${what} comes on ${dayText(reachedAtMs)}.`}
      </b>
      {mean}
    </>
  )
}

interface CeilingProps extends Pick<CapProps, "meter" | "onText" | "onDone" | "path"> {
  readonly isSet: boolean
  readonly text: string
}

const Ceiling = ({ meter, isSet, text, onText, onDone, path }: CeilingProps) => {
  const { works, refused, act } = useActs()
  const set = async (amount: number | string | null): Promise<void> => {
    const body = { caps: { [meter]: amount } }
    if ((await act<Caps>({ method: "PATCH", path, body })) === null) return
    onText(null)
    onDone()
  }
  return (
    <form
      class="inline"
      onSubmit={(event) => {
        event.preventDefault()
        // The service refuses text, and says what it wants. NaN would travel as null, which takes the ceiling away.
        void set(typedAmount(meter, text) ?? text)
      }}
    >
      <input
        class="short"
        inputMode="decimal"
        aria-label={`Ceiling of ${meterNames[meter]} in ${typedUnit(meter)}`}
        required
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <span class="unit">{typedUnit(meter)}</span>
      <button disabled={works.value}>Set</button>
      {isSet && (
        <button type="button" class="quiet" disabled={works.value} onClick={() => void set(null)}>
          Clear
        </button>
      )}
      <button type="button" class="quiet" onClick={() => onText(null)}>
        Cancel
      </button>
      <p class="under">New work stops at the ceiling, with a card on file, too.</p>
      {refused.value !== null && <Fault refusal={refused.value} />}
    </form>
  )
}
