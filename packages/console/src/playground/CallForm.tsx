import type { NamedFieldDescriptor } from "@atrium/sdk/schema"
import { useSignal } from "@preact/signals"
import { useId } from "preact/hooks"

import { Tenant } from "../parts/Tenant.tsx"
import { firstText, formText, inputOf, untypedOf, valueOf } from "./TypedFields.ts"

interface Props {
  readonly name: string
  /** `untyped` = any value, absent = none. */
  readonly fields: ReadonlyArray<NamedFieldDescriptor> | "untyped" | undefined
  readonly act: string
  readonly onAct: (value: unknown) => void
  /** The typed text cannot be read. */
  readonly onFault: (error: unknown) => void
}

/** A form for a call or a message, made from its declaration. */
export const CallForm = ({ name, fields, act, onAct, onFault }: Props) => {
  const texts = useSignal<Readonly<Record<string, string>>>({})
  const textOf = (field: NamedFieldDescriptor): string =>
    texts.value[field.name] ?? firstText(field)
  const perform = (): void => {
    try {
      if (fields === "untyped") onAct(untypedOf(texts.value[""] ?? ""))
      else {
        const values = (fields ?? []).map((field) => [field.name, valueOf(field, textOf(field))])
        onAct(Object.fromEntries(values))
      }
    } catch (error) {
      onFault(error)
    }
  }
  return (
    <form
      class="call"
      onSubmit={(event) => {
        event.preventDefault()
        perform()
      }}
    >
      <span class="call-name mono">
        <Tenant text={name} max={60} />
      </span>
      {fields === "untyped" ? (
        <input
          type="text"
          class="mono"
          aria-label={`Value of ${name}, as JSON`}
          placeholder="JSON"
          value={texts.value[""] ?? ""}
          onInput={({ currentTarget }) => (texts.value = { "": currentTarget.value })}
        />
      ) : (
        fields?.map((field) => (
          <TypedField
            key={field.name}
            field={field}
            text={textOf(field)}
            onText={(text) => (texts.value = { ...texts.value, [field.name]: text })}
          />
        ))
      )}
      <button class="quiet small">{act}</button>
    </form>
  )
}

interface FieldProps {
  readonly field: NamedFieldDescriptor
  readonly text: string
  readonly onText: (text: string) => void
}

const TypedField = ({ field, text, onText }: FieldProps) => {
  const id = useId()
  const input = inputOf(field)
  return (
    <span class="typed-field" title={formText(field)}>
      <label for={id}>
        <Tenant text={field.name} max={40} inControl />
      </label>
      {input._tag === "Flag" ? (
        <input
          id={id}
          type="checkbox"
          checked={text === "true"}
          onChange={({ currentTarget }) => onText(String(currentTarget.checked))}
        />
      ) : input._tag === "Choice" ? (
        <select
          id={id}
          class="small"
          value={text}
          onChange={({ currentTarget }) => onText(currentTarget.value)}
        >
          {input.choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          type="text"
          class={input._tag === "Text" ? "" : "mono short"}
          inputMode={input._tag === "Number" ? "decimal" : "text"}
          placeholder={input._tag === "Bytes" ? "hexadecimal" : ""}
          value={text}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      )}
    </span>
  )
}
