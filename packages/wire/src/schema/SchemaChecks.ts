/**
 * All that is judged when a schema is made. A page that was built for production takes `TrustedSchema.ts`
 * in its place. Source: C-660.
 */
export { checkDefinition } from "./DefinitionCheck.ts"
export { boundsProblem } from "./FieldBounds.ts"
export { innerProblem, optionsProblem } from "./OptionsCheck.ts"
export { checkParts } from "./PartsCheck.ts"
