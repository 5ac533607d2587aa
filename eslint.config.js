import tseslint from 'typescript-eslint';

/** Each entry says what to use instead; the reasons are in CONTRIBUTING.md. */
const TIME_AND_CHANCE = [
  { object: 'Date', property: 'now', message: 'Take a Clock (src/base/clock.ts): tests advance time by hand.' },
  { object: 'performance', property: 'now', message: 'Take a Clock (src/base/clock.ts): tests advance time by hand.' },
  { object: 'Math', property: 'random', message: 'Take a Random (src/base/random.ts): tests seed it.' },
];
const TIMERS = ['setTimeout', 'setInterval'].map((name) => ({
  name,
  message: 'Use Clock.setTimer or the TimerWheel (src/base): waits are wake-ups, and tests advance them by hand.',
}));
const SYNTAX = [
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'Take a Clock (src/base/clock.ts) and format its wallNow().',
  },
  {
    selector: "CallExpression[callee.name='require']",
    message: 'Use import: the package is ESM.',
  },
];
/** Bans the array methods that move every element; a Ring has a `shift` of its own, so the type decides. */
const noMovingArrays = {
  create: (context) => ({
    'CallExpression > MemberExpression.callee[property.name=/^(shift|splice|unshift)$/]': (node) => {
      const services = context.sourceCode.parserServices;
      if (!services.program.getTypeChecker().isArrayType(services.getTypeAtLocation(node.object))) return;
      context.report({ node, message: 'Moves every element of the array: use a Ring (src/base/ring.ts).' });
    },
  }),
};

/** Folders whose files run per chunk, frame, message or pick. */
const HOT = ['src/{base,net,core,plugins,lab}/**/*.ts'];

export default tseslint.config(
  { ignores: ['dist/', 'dist-*/', 'coverage/', '.components/', 'bench/results/', 'docs/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'no-console': 'error',
      eqeqeq: 'error',
      'no-restricted-syntax': ['error', ...SYNTAX],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/strict-boolean-expressions': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      // Void operators mark promises that are left alone on purpose.
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Contracts have methods that an implementation may leave empty.
      '@typescript-eslint/no-empty-function': 'off',
      // Node makes its servers and sockets with functions.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Tables of constants are classes nowhere; interfaces carry all state.
      '@typescript-eslint/no-extraneous-class': 'off',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/base/{clock,random}.ts'],
    rules: {
      'no-restricted-properties': ['error', ...TIME_AND_CHANCE],
      'no-restricted-globals': ['error', ...TIMERS],
    },
  },
  {
    files: HOT,
    plugins: { house: { rules: { 'no-moving-arrays': noMovingArrays } } },
    rules: {
      'house/no-moving-arrays': 'error',
      // Indexing bytes and rings: the bound was checked by the loop or the mask.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Indexed loops, without an iterator per message.
      '@typescript-eslint/prefer-for-of': 'off',
    },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: {
      // The runner awaits what `test` and `describe` return.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', package: 'node:test', name: ['test', 'it', 'describe', 'suite'] },
          ],
        },
      ],
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // The terminal is what these write to.
    files: ['src/app/cli/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
);
