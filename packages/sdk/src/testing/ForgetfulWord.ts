/** For tests: a variable of a module that a room's module imports. */
export const secretWord = { is: "" }
