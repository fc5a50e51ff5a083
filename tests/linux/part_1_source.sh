# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # sourced by tests/linux/run after lib.sh
# Where the record comes from, and each reason that there is none (D11 to D13, I11).

system
expect "show reads the EFI variable" 0 'source: EFI variable MigrationCost' show
expect "show prints the decay" 0 '123456 ns' show
expect "a root that ends in a slash" 0 '123456 ns' show --root=$root/

rm -r $root/sys/firmware
expect "a system not started by EFI" 3 'not started by EFI' show
system
rm $root/$variable
expect "no variable" 6 'no EFI variable' show
put proc/mounts 'proc /proc proc rw 0 0'
expect "efivarfs not mounted" 5 'not mounted.*efi=runtime' show
put proc/mounts 'efivarfs /elsewhere efivarfs rw 0 0'
expect "efivarfs mounted elsewhere" 5 'not mounted' show
rm $root/proc/mounts
expect "no /proc/mounts" 5 'not mounted' show
put sys/kernel/realtime 1
expect "PREEMPT_RT without runtime services" 4 'efi=runtime' show
put proc/cmdline 'quiet efi=runtime'
expect "PREEMPT_RT with efi=runtime" 5 'not mounted' show
rm $root/sys/kernel/realtime
put proc/cmdline 'quiet efi=debug,noruntime'
expect "efi=noruntime" 4 'efi=runtime' show
put proc/cmdline 'quiet -- efi=noruntime'
expect "efi=noruntime that is init's" 5 'not mounted' show

system
: >$root/$variable
expect "a variable of length zero (D11)" 6 'never written' show
printf '\7\0\0\0' >$root/$variable
expect "a variable without content" 7 'too short' show
printf '\7\0\0\0some vendor has a variable of this name' >$root/$variable
expect "a foreign variable" 7 'not a record of this program' show
record
printf x >>$root/$variable
expect "a variable with a tail" 7 'cut off or with something behind' show
record
truncate -s -1 $root/$variable
expect "a variable cut off" 7 'cut off' show
record
printf '\1' | dd of=$root/$variable bs=1 seek=60 conv=notrunc status=none
expect "a damaged variable" 7 'CRC-32' show
record
head -c 5000 /dev/zero >>$root/$variable
expect "a variable of 5 KiB" 7 'cut off' show
rm $root/$variable
mkdir $root/$variable
expect "a directory in its place" 8 'Is a directory' show
rmdir $root/$variable

record
mv $root/$variable $out/whole
mkfifo $root/$variable
for size in 1 4 30 100; do
    { dd if=$out/whole bs=$size status=none; } >$root/$variable &
    expect "reads that give $size bytes at a time (D11)" 0 '123456 ns' show
    wait $!
done
rm $root/$variable

# The file: given, or the copy that is the last resort.
system
$out/craft $out/raw decay=77000
$out/craft $out/prefixed decay=78000 attributes=7
expect "--file with the record alone" 0 'decay +77' show --file=$out/raw
expect "--file with attributes before it" 0 'decay +78' show --file=$out/prefixed
expect "--file that is not there" 6 'No such file' show --file=$out/none
expect "--file that is a directory" 8 'Is a directory' show --file=$out
expect "--file with something else" 7 'not a record of this program' show --file=/bin/sh
head -c 80 $out/raw >$out/short
expect "--file cut off" 7 'cut off' show --file=$out/short
{ cat $out/prefixed && printf x; } >$out/long
expect "--file with attributes and a tail" 7 'cut off' show --file=$out/long
: >$out/empty
expect "--file that is empty" 7 'too short' show --file=$out/empty
# As firmware fills it, made beforehand.
{
    printf 'MIGF\1\0\20\0\0\20\0\0'
    printf '\x3a\x90\xa8\x7a' # CRC-32
    head -c 1008 /dev/zero
    cat $out/raw
} >$out/made
truncate -s 4096 $out/made
expect "--file of firmware" 0 'decay +77' show --file=$out/made
head -c 4096 /dev/zero >$out/blank
expect "--file of firmware, nothing stored yet" 6 'still without one' show --file=$out/blank
printf X | dd of=$out/made bs=1 seek=1050 conv=notrunc status=none
expect "--file of firmware, torn" 7 'damaged' show --file=$out/made
for place in boot/efi efi boot; do
    system
    rm $root/$variable
    mkdir -p $root/$place
    cp $out/raw $root/$place/MigrationCost.bin
    expect "a copy in /$place" 0 "file /$place/MigrationCost.bin" show
done
rm -r $root/sys/firmware
expect "a copy where there is no EFI" 0 'decay +77' show
system
mkdir -p $root/boot
cp $out/raw $root/boot/MigrationCost.bin
expect "the variable goes before a copy" 0 '123456 ns' show
printf x >>$root/$variable
expect "a bad variable is not passed over for a copy" 7 'cut off' show
