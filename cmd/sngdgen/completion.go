package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/sngdgen/sngdgen/spec"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"One of bash, zsh, fish."`
}

// Run prints the script of a shell. It is made of the grammar, and runs nothing: completing costs no call of sngdgen.
func (c *completionCmd) Run(s *session) error {
	model := newParser(new(commands), io.Discard, io.Discard).Model
	return map[string]func(io.Writer, *kong.Application) error{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell](s.out, model)
}

// completed is what one command completes.
type completed struct {
	name, help string
	flags      []*kong.Flag
	words      []string // of its arguments: names of problems, or of shells
}

func completedCommands(model *kong.Application) (out []completed) {
	for _, n := range model.Leaves(true) {
		one := completed{name: n.Name, help: n.Help}
		for _, f := range n.Flags {
			if !f.Hidden {
				one.flags = append(one.flags, f)
			}
		}
		one.flags = append(one.flags, model.Flags...)
		for _, a := range n.Positional {
			switch {
			case strings.HasPrefix(a.Name, "spec") && n.Name != "generate":
				one.words = spec.Library().Problems()
			case a.Enum != "":
				one.words = strings.Split(a.Enum, ",")
			}
		}
		out = append(out, one)
	}
	return out
}

// flagWords are flags as they are typed.
func (c *completed) flagWords() (out []string) {
	for _, f := range c.flags {
		out = append(out, "--"+f.Name)
	}
	slices.Sort(out)
	return out
}

// enums are the values of flags that have a list of them.
func enums(f *kong.Flag) []string {
	return slices.DeleteFunc(strings.Split(f.Enum, ","), func(x string) bool { return x == "" })
}

func bashCompletion(w io.Writer, model *kong.Application) error {
	var names []string
	var flags, words, values strings.Builder
	seen := map[string]bool{}
	for _, c := range completedCommands(model) {
		names = append(names, c.name)
		fmt.Fprintf(&flags, "    %s) flags=%q ;;\n", c.name, strings.Join(c.flagWords(), " "))
		if len(c.words) > 0 {
			fmt.Fprintf(&words, "    %s) words=%q ;;\n", c.name, strings.Join(c.words, " "))
		}
		for _, f := range c.flags {
			if list := enums(f); len(list) > 0 && !seen[f.Name] {
				seen[f.Name] = true
				fmt.Fprintf(&values, "    --%s) values=%q ;;\n", f.Name, strings.Join(list, " "))
			}
		}
	}
	_, err := fmt.Fprintf(w, `# Completion of sngdgen for bash: source <(sngdgen completion bash)
_sngdgen() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} flags= words= values=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W %q -- "$word") $(compgen -f -- "$word"))
    return
  fi
  if [ "$before" = "=" ]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
  if [ "$word" = "=" ]; then word=; fi
  case $before in
%s  esac
  if [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
    return
  fi
  case ${COMP_WORDS[1]} in
%s  esac
  case ${COMP_WORDS[1]} in
%s  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _sngdgen sngdgen
`, strings.Join(names, " "), values.String(), flags.String(), words.String())
	return err
}

// quoted is a text in single quotes.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func zshCompletion(w io.Writer, model *kong.Application) error {
	var names, cases strings.Builder
	for _, c := range completedCommands(model) {
		fmt.Fprintf(&names, "    %s\n", quoted(c.name+":"+c.help))
		fmt.Fprintf(&cases, "    %s)\n      _arguments", c.name)
		for _, f := range c.flags {
			text := strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`).Replace(f.Help)
			action := ""
			switch list := enums(f); {
			case f.IsBool():
			case len(list) > 0:
				action = "=:value:(" + strings.Join(list, " ") + ")"
			default:
				action = "=:value:_files"
			}
			fmt.Fprintf(&cases, " \\\n        %s", quoted("--"+f.Name+strings.TrimSuffix(action[:min(1, len(action))], "")+"["+text+"]"+strings.TrimPrefix(action, "=")))
		}
		rest := "*:file:_files"
		if len(c.words) > 0 {
			rest = "*:argument:{_alternative 'words:word:(" + strings.Join(c.words, " ") + ")' 'files:file:_files'}"
		}
		fmt.Fprintf(&cases, " \\\n        %s\n      ;;\n", quoted(rest))
	}
	_, err := fmt.Fprintf(w, `#compdef sngdgen
# Completion of sngdgen for zsh: sngdgen completion zsh > _sngdgen, in a folder of $fpath
_sngdgen() {
  local -a commands
  commands=(
%s  )
  if (( CURRENT == 2 )); then
    _describe command commands
    _files
    return
  fi
  local command=${words[2]}
  shift words
  (( CURRENT-- ))
  case $command in
%s  esac
}
if [ "$funcstack[1]" = "_sngdgen" ]; then
  _sngdgen "$@"
else
  compdef _sngdgen sngdgen
fi
`, names.String(), cases.String())
	return err
}

func fishCompletion(w io.Writer, model *kong.Application) error {
	var b strings.Builder
	b.WriteString("# Completion of sngdgen for fish: sngdgen completion fish > ~/.config/fish/completions/sngdgen.fish\n")
	for _, c := range completedCommands(model) {
		fmt.Fprintf(&b, "complete -c sngdgen -n __fish_use_subcommand -a %s -d %s\n", c.name, quoted(c.help))
		on := quoted("__fish_seen_subcommand_from " + c.name)
		if len(c.words) > 0 {
			fmt.Fprintf(&b, "complete -c sngdgen -n %s -a %s\n", on, quoted(strings.Join(c.words, " ")))
		}
		for _, f := range c.flags {
			fmt.Fprintf(&b, "complete -c sngdgen -n %s -l %s -d %s", on, f.Name, quoted(f.Help))
			if list := enums(f); len(list) > 0 {
				fmt.Fprintf(&b, " -x -a %s", quoted(strings.Join(list, " ")))
			} else if !f.IsBool() {
				b.WriteString(" -r")
			}
			b.WriteString("\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
